"""try_page.py PAGE: a page that shows PAGE 400 and 1,400 pixels wide, each with a
script that uses it as a reader would, and writes what it finds."""

import html
import sys

SCRIPT = """<script>
(function(){
var errors=0, lines=[];
onerror=function(){errors++};
function at(id){return document.getElementById(id)}
function all(what){return [].slice.call(document.querySelectorAll(what))}
function set(id,value,event){at(id).value=value;at(id).dispatchEvent(new Event(event))}
function shown(){return at('shown').textContent}
function fits(){
 var wide=all('body *').filter(function(e){
  for(var p=e;p;p=p.parentElement){var o=getComputedStyle(p).overflowX;
   if(p!==e&&(o==='auto'||o==='hidden'))return false}
  return e.getBoundingClientRect().right>innerWidth+1});
 return document.documentElement.scrollWidth<=innerWidth&&!wide.length?'fits':
  'too wide: '+wide.map(function(e){return e.tagName+'.'+e.className}).join(' ')}
function order(){return all('.bug').filter(function(b){return !b.hidden})}
function sorted(values){return values.every(function(v,i){return !i||values[i-1]<=v})}
lines.push('closed: '+fits());
set('words','padpattern rank','input');lines.push('words: '+shown());set('words','','input');
set('state','new','input');lines.push('state new: '+shown());set('state','','input');
set('kind','mismatch','input');lines.push('kind mismatch: '+shown());set('kind','','input');
set('words','no such words','input');lines.push('none: '+shown());set('words','','input');
lines.push('all: '+shown());
set('order','count','input');
lines.push('most failures first: '+sorted(order().map(function(b){return -b.querySelector('.count').textContent})));
set('order','id','input');
lines.push('oldest first: '+sorted(order().map(function(b){return +b.id.slice(1)})));
all('details').forEach(function(d){d.open=true});
lines.push('opened: '+fits());
lines.push('trend: '+all('.trend rect').length+' runs');
lines.push('heat maps: '+all('.heat svg').length+', cells off: '+all('.heat title').length);
lines.push('reduced: '+all('pre.ir').length+', marked operations: '+(all('.ir .o').length>0));
lines.push('differences: more '+(all('.more').length>0)+', less '+(all('.less').length>0));
var rows=all('.bug table tr').filter(function(r){return r.querySelector('td')});
lines.push('members: '+rows.length+', why: '+rows.every(function(r){return r.cells[1].textContent.indexOf('key 1-')>0}));
all('details').forEach(function(d){d.open=false});
addEventListener('hashchange',function(){setTimeout(function(){
 lines.push('link: B3 opens '+at('B3').open);
 lines.push('errors: '+errors);
 var out=document.createElement('pre');out.id='tried';out.textContent=lines.join('\\n');
 document.body.appendChild(out);document.title='tried'},0)});
location.hash='#B3';
})();
</script></body>"""

FRAMES = """<!DOCTYPE html><title>waiting</title>
<iframe width="400" height="900" srcdoc="%s"></iframe>
<iframe width="800" height="900" srcdoc="%s"></iframe>
<iframe width="1400" height="900" srcdoc="%s"></iframe>
<script>(function wait(){
 var frames=[].slice.call(document.querySelectorAll('iframe'));
 if(!frames.every(function(f){return f.contentDocument.getElementById('tried')}))
  return setTimeout(wait,50);
 frames.forEach(function(f){
  var out=document.createElement('pre');
  out.textContent=f.contentWindow.innerWidth+' pixels\\n'+f.contentDocument.getElementById('tried').textContent;
  document.body.appendChild(out)});
 document.title='tried'})()</script>"""

with open(sys.argv[1], encoding="utf-8") as file:
    page = html.escape(file.read().replace("</body>", SCRIPT))
print(FRAMES % (page, page, page))
