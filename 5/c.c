int h(void){return y+z;}
