/* What is known, and what the kind's descriptor asks for: see opmodel.h. */
#include "opmodel.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "ranks.h"

static struct cul_model *model_of(struct cul_ir *ir) {
  if (!ir->model)
    ir->model = cul_xcalloc(1, sizeof *ir->model);
  return ir->model;
}

void cul_model_free(struct cul_model *model) {
  if (!model)
    return;
  for (size_t i = 0; i < model->n; i++)
    cul_class_free(model->classes[i]);
  free(model->classes);
  free(model->asks);
  cul_map_release(&model->of);
  free(model);
}

static void look_at(struct cul_ir *ir, struct cul_model *model,
                    MlirOperation op) {
  struct cul_class *class = cul_class_of(ir, model, op);
  cul_map_put_ptr(&model->of, op.ptr, class);
  if (class->look != model->look) /* the first stands for the class */
    class->seen = op;
  class->look = model->look;
}

static void look(struct cul_ir *ir, struct cul_model *model,
                 cul_wanted_fn *wanted) {
  struct cul_ir_list list = {0};
  model->look++;
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n; i++)
    if (!wanted || wanted(list.items[i].op.ptr))
      look_at(ir, model, list.items[i].op);
  cul_ir_list_release(&list);
}

/* Ask libMLIR. */
static void ask_here(struct cul_ir *ir, struct cul_model *model,
                     cul_wanted_fn *wanted) {
  uint64_t begun = cul_now_us();
  while (cul_model_plan(ir, model, wanted)) {
    uint8_t *answers = cul_xcalloc(model->n_asks, 1);
    if (!model->counts.first_us)
      model->counts.first_us = begun;
    cul_place_ask(ir, model, answers);
    cul_model_answer(model, answers);
    free(answers);
  }
  model->counts.us += cul_now_us() - begun;
}

void cul_model_look(struct cul_ir *ir) {
  struct cul_model *model = model_of(ir);
  look(ir, model, NULL);
  if (!cul_ir_is_opaque(ir))
    ask_here(ir, model, NULL);
}

void cul_model_look_for_ties(struct cul_ir *ir, cul_wanted_fn *wanted) {
  struct cul_model *model = model_of(ir);
  if (model->looked_for_ties)
    return;
  model->looked_for_ties = true;
  look(ir, model, wanted);
  if (!cul_ir_is_opaque(ir))
    ask_here(ir, model, wanted);
}

void cul_model_forget(struct cul_model *model) {
  if (!model)
    return;
  cul_map_release(&model->of);
  model->of = (struct cul_map){0};
  model->looked_for_ties = false;
}

const struct cul_class *cul_model_class(const struct cul_ir *ir,
                                        MlirOperation op) {
  return ir->model ? cul_map_get_ptr(&ir->model->of, op.ptr) : NULL;
}

bool cul_model_is_verified(const struct cul_ir *ir) {
  return !cul_ir_is_opaque(ir) || (ir->model && ir->model->vendor);
}

static const struct cul_class_attr *attr_named(const struct cul_class *class,
                                               MlirStringRef name) {
  for (size_t i = 0; i < class->n_attrs; i++) {
    MlirStringRef it = mlirIdentifierStr(class->attrs[i].name);
    if (it.length == name.length && memcmp(it.data, name.data, it.length) == 0)
      return &class->attrs[i];
  }
  return NULL;
}

enum cul_ruling cul_class_drop(const struct cul_class *class,
                               MlirStringRef name,
                               const struct cul_drop **drop) {
  const struct cul_class_attr *attr = attr_named(class, name);
  const struct cul_drop_answer *answer;
  if (!attr || attr->fixed) /* NULL: one of too many */
    return CUL_REFUSED;
  answer = &attr->in[class->frame % CUL_N_FRAMES];
  *drop = &answer->drop;
  if (class->frame >= CUL_N_FRAMES)
    return CUL_UNKNOWN;
  return answer->drop.with.ptr ? CUL_ACCEPTED : answer->alone;
}

bool cul_class_is_asked(const struct cul_class *class) {
  return class->frame < CUL_N_FRAMES;
}

const struct cul_spot *cul_class_ties(const struct cul_class *class,
                                      size_t *n) {
  const struct cul_ties *ties = class->ties;
  *n = ties ? ties->n : 0;
  return ties && ties->known ? ties->spots : NULL;
}

const struct cul_spot *cul_class_dims(const struct cul_class *class,
                                      size_t *n) {
  const struct cul_ranks *ranks = class->ranks;
  *n = ranks ? ranks->n : 0;
  return ranks && ranks->known ? ranks->dims : NULL;
}

void cul_class_thin(struct cul_ir *ir, const struct cul_class *class,
                    uint64_t gone, MlirOperation op, bool *keep) {
  (void)cul_ranks_thin(ir, class->ranks, class->ranks->roles, gone, op, keep);
}

/* ---- questions for the vendor's verifier ---- */

struct writing {
  struct cul_ir *ir;
  const struct cul_model *model;
  struct cul_buf *out;
};

static void write_one(void *arg, size_t i, struct cul_buf *out) {
  const struct writing *w = arg;
  const struct cul_ask *ask = &w->model->asks[i];
  cul_snippet_write(w->ir, w->model->classes[ask->class], ask, out);
}

/* The address of the question, wherever it is asked. */
static struct cul_digest name_of(const struct cul_model *model,
                                 const struct cul_ask *ask) {
  const struct cul_class *class = model->classes[ask->class];
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &class->key, sizeof class->key);
  cul_hasher_u64(h, ask->frame);
  cul_hasher_u64(h, ask->a);
  cul_hasher_u64(h, ask->b);
  cul_hasher_u64(h, ask->group);
  cul_hasher_u64(h, ask->mask);
  cul_hasher_u64(h, ask->alt);
  if (ask->attempt)
    cul_ranks_hash(class->ranks, ask->attempt - 1, h);
  return cul_hasher_finish(h);
}

static void add_one(void *arg, size_t i, const struct cul_bytes *bytes) {
  const struct writing *w = arg;
  struct cul_question question = {.name = name_of(w->model, &w->model->asks[i]),
                                  .len = bytes ? bytes->len : 0};
  cul_buf_add(w->out, &question, sizeof question);
  if (bytes)
    cul_buf_add(w->out, bytes->data, bytes->len);
}

void cul_model_questions(struct cul_subject *subject, cul_wanted_fn *wanted,
                         struct cul_buf *out) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_model *model = model_of(ir);
  struct writing writing = {ir, model, out};
  look(ir, model, wanted);
  if (!cul_ir_is_opaque(ir))
    ask_here(ir, model, wanted);
  else if (cul_model_plan(ir, model, wanted))
    cul_apart(model->n_asks, write_one, add_one, &writing);
}

void cul_model_told(struct cul_subject *subject, struct cul_bytes answers) {
  struct cul_model *model = model_of(cul_ir_of(subject));
  if (answers.len == model->n_asks)
    cul_model_answer(model, (const uint8_t *)answers.data);
}

void cul_model_count(const struct cul_subject *subject, struct cul_asked *out) {
  const struct cul_model *model = ((const struct cul_ir *)subject)->model;
  *out = (struct cul_asked){0};
  if (model)
    *out = model->counts;
  if (model)
    out->classes = model->n;
}
