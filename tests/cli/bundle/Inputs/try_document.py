"""try_document.py [--phone] PAGE...: a page that shows each PAGE 400, 800 and 1,400
pixels wide (--phone: 400) and on paper, with a script that measures it, and writes what it finds.  A
PAGE forbids scripts: its policy is taken out of these copies."""

import html
import re
import sys

SCRIPT = """<script>
(function(){
var lines=[];
function all(what){return [].slice.call(document.querySelectorAll(what))}
function fits(){
 var wide=all('body *').filter(function(e){
  if(e.getBoundingClientRect().right<=innerWidth+1)return false;
  for(var p=e.parentElement;p;p=p.parentElement){var o=getComputedStyle(p).overflowX;
   if(o==='auto'||o==='hidden')return false}
  return true});
 return document.documentElement.scrollWidth<=innerWidth&&!wide.length?'fits':
  'too wide: '+wide.map(function(e){return e.tagName+'.'+e.className}).join(' ')}
function light(colour){
 return colour.slice(0,3).map(function(v){v/=255;
  return v<=.03928?v/12.92:Math.pow((v+.055)/1.055,2.4)})
  .reduce(function(sum,v,i){return sum+v*[.2126,.7152,.0722][i]},0)}
function numbers(text){return (text.match(/[\\d.]+/g)||[]).map(Number)}
var papers=new Map();
function paper(e){
 if(!e)return [255,255,255];
 if(!papers.has(e)){var c=numbers(getComputedStyle(e).backgroundColor);
  papers.set(e,c.length<4||c[3]>0?c:paper(e.parentElement))}
 return papers.get(e)}
function contrast(e){
 var a=light(numbers(getComputedStyle(e).color)),b=light(paper(e));
 return (Math.max(a,b)+.05)/(Math.min(a,b)+.05)}
function pale(){
 var names={};
 all('body *').forEach(function(e){
  if(e.tagName!=='SCRIPT'&&!e.closest('svg')&&e.textContent.trim()&&contrast(e)<4.5)
   names[e.tagName+'.'+e.className]=1});
 return Object.keys(names).join(' ')||'none'}
lines.push('closed: '+fits());
all('details').forEach(function(d){d.open=true});
lines.push('opened: '+fits());
lines.push(light(paper(document.body))<.1?'dark':'light');
lines.push('hard to read: '+pale());
lines.push('sections: '+all('h2').map(function(h){return h.textContent}).join(', '));
lines.push('curves: '+all('figure svg').length);
lines.push('steps: '+all('table').filter(function(t){return t.rows[0].cells[0].textContent==='step'})
 .map(function(t){return t.rows.length-1}));
lines.push('marked: '+['v','o','q','t','n','c'].map(function(c){return c+(all('pre .'+c).length>0?'':' no')}).join(' '));
lines.push('differs: '+all('.less').length+' '+all('.more').length);
lines.push('foreign: '+all('img,script:not(#ours),a,iframe,link,object').length+
 ', handlers: '+all('*').filter(function(e){return [].some.call(e.attributes,function(a){return /^on/.test(a.name)})}).length);
lines.push('title: '+(document.title.indexOf('<script>')>0));
var out=document.createElement('pre');out.id='tried';out.textContent=lines.join('\\n');
document.body.appendChild(out);
})();
</script></body>""".replace("<script>\n", "<script id=ours>\n", 1)

FRAME = '<iframe width="%d" height="900" data-name="%s" srcdoc="%s"></iframe>\n'

ALL = """<!DOCTYPE html><title>waiting</title>
%s<script>(function wait(){
 var frames=[].slice.call(document.querySelectorAll('iframe'));
 if(!frames.every(function(f){return f.contentDocument.getElementById('tried')}))
  return setTimeout(wait,50);
 frames.forEach(function(f){
  var out=document.createElement('pre');
  out.textContent=f.contentWindow.innerWidth+' pixels'+f.dataset.name+'\\n'+f.contentDocument.getElementById('tried').textContent;
  document.body.appendChild(out);f.remove()});
 document.title='tried'})()</script>"""

frames = ""
phone = sys.argv[1] == "--phone"
pages = sys.argv[1 + phone:]
for path in pages:
    with open(path, encoding="utf-8") as file:
        text, n = re.subn(r"<meta http-equiv=[^>]*>", "", file.read())
    assert n == 1 and text.endswith("</body></html>\n"), path
    page = html.escape(SCRIPT.join(text.rsplit("</body>", 1)))
    name = html.escape(": " + path) if len(pages) > 1 else ""
    frames += "".join(FRAME % (width, name, page) for width in ((400,) if phone else (400, 800, 1400)))
    # What is for paper, on a sheet of A4 within its margins.
    assert page.count("@media print{") == 1, path
    frames += FRAME % (717, " of paper" + name, page.replace("@media print{", "@media all{"))
print(ALL % frames)
