/* What is asked, and in which order.
 *
 * Does a copy verify as it is, alone and in a copy of what is around it; does
 * it without each of its attributes, and without two of them?  That is asked at
 * once, by all classes of the module: a start of a tool costs more than many
 * questions.  Where pairs of all attributes are too many, and of libMLIR, pairs
 * are asked about later: of those that cannot go alone. */
#include <stdlib.h>
#include <string.h>

#include "../subject/ir/compat.h"
#include "ranks.h"

enum {
  MOST_ASKS = 20000, /* of one subject */
  MOST_PAIRED = 5,   /* attributes of a class, none of which goes alone */
};

static void put(struct cul_model *model, const struct cul_ask *ask) {
  model->asks = cul_xgrow(model->asks, model->n_asks, &model->cap_asks,
                          sizeof *model->asks);
  model->asks[model->n_asks++] = *ask;
}

static void put_control(struct cul_model *model, uint32_t number,
                        enum cul_frame frame) {
  put(model, &(struct cul_ask){number, frame, CUL_NO_ATTR, CUL_NO_ATTR,
                               CUL_NO_GROUP, 0, 0, 0});
}

static void put_singles(struct cul_model *model, uint32_t number,
                        enum cul_frame frame) {
  const struct cul_class *class = model->classes[number];
  for (size_t i = 0; i < class->n_attrs; i++)
    if (!class->attrs[i].fixed)
      put(model, &(struct cul_ask){number, frame, (uint8_t)i, CUL_NO_ATTR,
                                   CUL_NO_GROUP, 0, 0, 0});
}

static bool may_pair(const struct cul_class *class, enum cul_frame frame,
                     size_t i, bool refused) {
  const struct cul_class_attr *attr = &class->attrs[i];
  return !attr->fixed && (!refused || attr->in[frame].alone == CUL_REFUSED);
}

/* Two attributes at a time; refused: those that cannot go alone.  False: they
 * are too many. */
static bool put_pairs(struct cul_model *model, uint32_t number,
                      enum cul_frame frame, bool refused) {
  const struct cul_class *class = model->classes[number];
  size_t n = 0;
  for (size_t i = 0; i < class->n_attrs; i++)
    n += may_pair(class, frame, i, refused);
  for (size_t i = 0; n <= MOST_PAIRED && i < class->n_attrs; i++)
    for (size_t k = 0; k < i && may_pair(class, frame, i, refused); k++)
      if (may_pair(class, frame, k, refused))
        put(model, &(struct cul_ask){number, frame, (uint8_t)k, (uint8_t)i,
                                     CUL_NO_GROUP, 0, 0, 0});
  return n <= MOST_PAIRED;
}

/* The frame that holds; CUL_N_FRAMES: none. */
static enum cul_frame frame_of(const struct cul_class *class) {
  enum cul_frame frame = CUL_FRAME_ALONE;
  while (frame < CUL_N_FRAMES && class->control[frame] != CUL_ACCEPTED)
    frame++;
  return frame;
}

/* What is known of the same attribute, with the same value, of other classes of
 * the operation; NULL: nothing, or they differ. */
static const struct cul_drop_answer *
donor_of(const struct cul_model *model, const struct cul_class *class,
         const struct cul_class_attr *attr) {
  const struct cul_drop_answer *found = NULL;
  for (size_t i = 0; i < model->n; i++) {
    const struct cul_class *other = model->classes[i];
    if (other->op.ptr != class->op.ptr || other->step != CUL_STEP_DONE ||
        other->frame >= CUL_N_FRAMES)
      continue;
    for (size_t k = 0; k < other->n_attrs; k++) {
      const struct cul_class_attr *it = &other->attrs[k];
      const struct cul_drop_answer *answer = &it->in[other->frame];
      if (it->name.ptr != attr->name.ptr || it->value != attr->value)
        continue;
      if (found && found->alone != answer->alone)
        return NULL;
      found = answer;
    }
  }
  return found;
}

static bool has_attr(const struct cul_class *class, MlirIdentifier name) {
  for (size_t i = 0; i < class->n_attrs; i++)
    if (class->attrs[i].name.ptr == name.ptr)
      return true;
  return false;
}

/* An edit makes new classes of known ones: fewer attributes, other types.
 * Where all is known of each attribute, and nothing else was ever said of it,
 * no tool is started for that; what it is wrong about costs a run. */
static bool inherit(const struct cul_model *model, struct cul_class *class) {
  for (size_t i = 0; i < class->n_attrs; i++) {
    const struct cul_class_attr *attr = &class->attrs[i];
    struct cul_drop_answer *answer = &class->attrs[i].in[CUL_FRAME_ALONE];
    const struct cul_drop_answer *donor =
        attr->fixed ? answer : donor_of(model, class, attr);
    if (!donor)
      return false;
    answer->alone = donor->alone;
    if (donor->drop.with.ptr && has_attr(class, donor->drop.with))
      answer->drop.with = donor->drop.with;
  }
  class->frame = CUL_FRAME_ALONE;
  class->step = CUL_STEP_DONE;
  return true;
}

static bool has_question(const struct cul_class *class) {
  for (size_t i = 0; i < class->n_attrs; i++)
    if (!class->attrs[i].fixed)
      return true;
  return false;
}

static void plan_first(struct cul_ir *ir, struct cul_model *model,
                       uint32_t number) {
  struct cul_class *class = model->classes[number];
  bool tool = cul_ir_is_opaque(ir);
  bool nested = tool && cul_ir_parent(class->seen).ptr != ir->root.ptr;
  if (!has_question(class) || (tool && inherit(model, class))) {
    class->step = CUL_STEP_DONE;
    return;
  }
  for (int i = CUL_FRAME_ALONE; i <= (nested ? CUL_FRAME_PARENT : 0); i++) {
    put_control(model, number, (enum cul_frame)i);
    put_singles(model, number, (enum cul_frame)i);
    class->paired = tool && put_pairs(model, number, (enum cul_frame)i, false);
  }
  class->step = CUL_STEP_ASKED;
}

static void plan(struct cul_ir *ir, struct cul_model *model, uint32_t number) {
  struct cul_class *class = model->classes[number];
  if (class->step == CUL_STEP_CONTROL) {
    plan_first(ir, model, number);
  } else if (class->step == CUL_STEP_ASKED) {
    class->frame = frame_of(class);
    if (class->frame < CUL_N_FRAMES && !class->paired)
      (void)put_pairs(model, number, class->frame, true);
    class->step = CUL_STEP_DONE;
  }
}

/* ---- ties ---- */

static void put_masks(struct cul_model *model, uint32_t number, uint16_t group,
                      uint8_t alt) {
  const struct cul_group *g = &model->classes[number]->ties->groups[group];
  for (uint8_t mask = 1; g->small && mask >> g->n == 0; mask++)
    put(model, &(struct cul_ask){number, CUL_FRAME_ALONE, CUL_NO_ATTR,
                                 CUL_NO_ATTR, group, mask, alt, 0});
}

static const struct cul_spot *same_spot(const struct cul_ties *ties,
                                        const struct cul_spot *spot) {
  for (size_t i = 0; i < ties->n; i++)
    if (ties->spots[i].kind == spot->kind && ties->spots[i].at == spot->at &&
        ties->spots[i].value == spot->value &&
        ties->spots[i].attr.ptr == spot->attr.ptr)
      return &ties->spots[i];
  return NULL;
}

/* Smaller sizes make another class of a known one: where all its spots are
 * among those of that, no tool is started for it. */
static bool inherit_ties(const struct cul_model *model,
                         struct cul_class *class) {
  for (size_t i = 0; i < model->n; i++) {
    const struct cul_class *other = model->classes[i];
    size_t k = 0;
    if (other->op.ptr != class->op.ptr || !other->ties ||
        other->ties->step != CUL_TIES_DONE || !other->ties->known)
      continue;
    while (k < class->ties->n && same_spot(other->ties, &class->ties->spots[k]))
      k++;
    if (k < class->ties->n)
      continue;
    for (k = 0; k < class->ties->n; k++) {
      const struct cul_spot *known =
          same_spot(other->ties, &class->ties->spots[k]);
      class->ties->spots[k].set = known ? known->set : UINT32_MAX;
    }
    class->ties->known = class->ties->inherited = true;
    class->ties->step = CUL_TIES_DONE;
    return true;
  }
  return false;
}

/* All by themselves: what an operation is in says little of its types. */
static bool plan_ties(struct cul_ir *ir, struct cul_model *model,
                      uint32_t number) {
  struct cul_class *class = model->classes[number];
  if (!class->ties)
    class->ties = cul_ties_of(ir, class->seen);
  if (!class->ties || class->ties->step == CUL_TIES_DONE ||
      (cul_ir_is_opaque(ir) && inherit_ties(model, class)))
    return false;
  put_control(model, number, CUL_FRAME_ALONE);
  for (size_t g = 0; g < class->ties->n_groups; g++)
    for (int alt = 0; alt < CUL_N_ALTS; alt++)
      put_masks(model, number, (uint16_t)g, (uint8_t)alt);
  class->ties->step = CUL_TIES_DONE;
  return true;
}

/* ---- ranks ---- */

static bool inherit_ranks(const struct cul_model *model,
                          struct cul_class *class) {
  for (size_t i = 0; i < model->n; i++) {
    const struct cul_class *other = model->classes[i];
    if (other->op.ptr == class->op.ptr && other->ranks &&
        cul_ranks_inherit(class->ranks, other->ranks))
      return true;
  }
  return false;
}

/* Once it is known which sizes change together. */
static void plan_ranks(struct cul_ir *ir, struct cul_model *model,
                       uint32_t number) {
  struct cul_class *class = model->classes[number];
  if (class->looked_for_ranks)
    return;
  class->looked_for_ranks = true;
  class->ranks = cul_ranks_of(ir, class->seen, class->ties);
  if (!class->ranks || (cul_ir_is_opaque(ir) && inherit_ranks(model, class)))
    return;
  put_control(model, number, CUL_FRAME_ALONE);
  for (uint32_t i = 0; i < class->ranks->n_attempts; i++)
    put(model, &(struct cul_ask){number, CUL_FRAME_ALONE, CUL_NO_ATTR,
                                 CUL_NO_ATTR, CUL_NO_GROUP, 0, 0, i + 1});
}

static void plan_types(struct cul_ir *ir, struct cul_model *model,
                       uint32_t number) {
  if (!plan_ties(ir, model, number))
    plan_ranks(ir, model, number);
}

/* Does somebody verify what these are? */
static bool is_verified(const struct cul_ir *ir, MlirOperation op) {
  return cul_ir_is_opaque(ir) || cul_compat_is_registered(op);
}

bool cul_model_plan(struct cul_ir *ir, struct cul_model *model,
                    cul_wanted_fn *wanted) {
  model->n_asks = 0;
  for (uint32_t i = 0; i < model->n; i++) {
    struct cul_class *class = model->classes[i];
    if (class->look != model->look ||
        model->counts.questions + model->n_asks >= MOST_ASKS)
      continue;
    if (!wanted)
      plan(ir, model, i);
    else if (wanted(class->seen.ptr) && is_verified(ir, class->seen))
      plan_types(ir, model, i);
  }
  return model->n_asks > 0;
}

static void conclude(struct cul_class *class) {
  if (class->ties && !class->ties->inherited &&
      class->ties->step == CUL_TIES_DONE)
    cul_ties_conclude(class->ties);
  if (class->ranks && !class->ranks->inherited)
    cul_ranks_conclude(class->ranks);
}

/* Neither goes alone, both go together. */
static void take_pair(struct cul_drop_answer *a, struct cul_drop_answer *b) {
  if (a->alone != CUL_REFUSED || b->alone != CUL_REFUSED)
    return;
  if (!a->drop.with.ptr)
    a->drop.with = b->drop.attr;
  if (!b->drop.with.ptr)
    b->drop.with = a->drop.attr;
}

static void take(struct cul_class *class, const struct cul_ask *ask,
                 enum cul_ruling answer) {
  if (ask->attempt) {
    class->ranks->attempts[ask->attempt - 1].accepted = answer == CUL_ACCEPTED;
  } else if (ask->group != CUL_NO_GROUP) {
    if (answer == CUL_ACCEPTED)
      class->ties->groups[ask->group].accepted[ask->alt] |= UINT64_C(1)
                                                            << ask->mask;
  } else if (ask->a == CUL_NO_ATTR) {
    class->control[ask->frame] = answer;
  } else if (ask->b == CUL_NO_ATTR) {
    class->attrs[ask->a].in[ask->frame].alone = answer;
  } else if (answer == CUL_ACCEPTED) {
    take_pair(&class->attrs[ask->a].in[ask->frame],
              &class->attrs[ask->b].in[ask->frame]);
  }
}

void cul_model_answer(struct cul_model *model, const uint8_t *answers) {
  for (size_t i = 0; i < model->n_asks; i++) {
    const struct cul_ask *ask = &model->asks[i];
    take(model->classes[ask->class], ask, (enum cul_ruling)answers[i]);
    model->counts.unknown += answers[i] == CUL_UNKNOWN;
    model->vendor |= answers[i] != CUL_UNKNOWN;
  }
  model->counts.questions += model->n_asks;
  model->n_asks = 0;
  for (size_t i = 0; i < model->n; i++)
    if (model->classes[i]->control[CUL_FRAME_ALONE] == CUL_ACCEPTED)
      conclude(model->classes[i]);
}

bool cul_ask_change(struct cul_ir *ir, const struct cul_class *class,
                    const struct cul_ask *ask, MlirOperation *copy) {
  const char *names[3] = {NULL};
  struct cul_ir_change change = {.drop_attrs = names};
  MlirAttribute before;
  MlirOperation made;
  if (ask->attempt)
    return cul_ranks_change(ir, class->ranks, ask->attempt - 1, copy);
  if (ask->group != CUL_NO_GROUP)
    return cul_ties_change(ir, class->ties, ask, copy);
  if (ask->a == CUL_NO_ATTR)
    return true;
  names[0] = mlirIdentifierStr(class->attrs[ask->a].name).data;
  if (ask->b != CUL_NO_ATTR)
    names[1] = mlirIdentifierStr(class->attrs[ask->b].name).data;
  before = cul_ir_get(*copy, names[0]);
  made = cul_ir_rebuild(ir, *copy, &change);
  if (!made.ptr)
    return false;
  *copy = made;
  return cul_ir_get(made, names[0]).ptr != before.ptr; /* no default */
}
