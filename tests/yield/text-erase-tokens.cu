// TOOL: --has planted
volatile planted;
