// Calls of CUDA's driver alone: the time of a launch with several ways to wait for it, and the time of a kernel in a queue and in a
// graph, with and without the launch attribute that lets a kernel begin before the kernel before it has ended.
//
//   gcc -O2 benches/gpu/launch_latency.c -o launch_latency -ldl && ./launch_latency
//
// Kernels: e is empty, c adds to one number on one unit, a adds to 16 to 4,096 cubes of 256 numbers. The digit after the letter: 0 has no
// instruction for the attribute, 1 waits at the start, 2 also lets the next kernel begin at the start, 3 lets it begin at the end, 4 lets it
// begin after the wait, 5 does so in small grids.
// The sums at the end of a row are 1,000 for each of 7, and of 14 repetitions; a wrong order of the kernels changes them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <stdint.h>
typedef int R; typedef void *P; typedef unsigned long long D;
typedef struct { int id; char pad[4]; union { char b[64]; int i; } v; } Attr;
typedef struct { unsigned gx,gy,gz,bx,by,bz,sh; P stream; Attr *attrs; unsigned n; } Cfg;
#define F(name,...) static R (*name)(__VA_ARGS__);
F(cuInit,unsigned) F(cuDeviceGet,int*,int) F(cuCtxCreate_v2,P*,unsigned,int) F(cuCtxDestroy_v2,P)
F(cuModuleLoadData,P*,const void*) F(cuModuleGetFunction,P*,P,const char*) F(cuLaunchKernel,P,unsigned,unsigned,unsigned,unsigned,unsigned,unsigned,unsigned,P,void**,void**)
F(cuLaunchKernelEx,const Cfg*,P,void**,void**) F(cuStreamCreate,P*,unsigned) F(cuStreamSynchronize,P) F(cuStreamQuery,P)
F(cuEventCreate,P*,unsigned) F(cuEventRecord,P,P) F(cuEventQuery,P) F(cuEventSynchronize,P) F(cuEventElapsedTime,float*,P,P)
F(cuMemAlloc_v2,D*,size_t) F(cuMemHostAlloc,void**,size_t,unsigned) F(cuMemHostGetDevicePointer_v2,D*,void*,unsigned) F(cuStreamWriteValue32_v2,P,D,unsigned,unsigned)
F(cuStreamBeginCapture_v2,P,int) F(cuStreamEndCapture,P,P*) F(cuGraphInstantiateWithFlags,P*,P,unsigned long long) F(cuGraphLaunch,P,P) F(cuMemsetD8_v2,D,unsigned char,size_t) F(cuMemcpyDtoH_v2,void*,D,size_t)
F(cuCtxSynchronize,void)
static double now(){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec*1e6+t.tv_nsec/1e3;}
#define C(x) do{R r=(x);if(r){printf("%s: %d (line %d)\n",#x,r,__LINE__);exit(1);}}while(0)
static int cmp(const void*a,const void*b){double x=*(double*)a,y=*(double*)b;return x<y?-1:x>y;}
static const char *SRC=".version 7.8\n.target sm_90\n.address_size 64\n"
".visible .entry e0(){ret;}\n"
".visible .entry e1(){griddepcontrol.wait;ret;}\n"
".visible .entry e2(){griddepcontrol.launch_dependents;griddepcontrol.wait;ret;}\n"
#define CNT(n,pre,post) ".visible .entry " n "(.param .u64 y,.param .u64 m,.param .f32 a){.reg .b64 %rd<3>;.reg .f32 %f<4>;" pre "ld.param.u64 %rd1,[y];ld.param.f32 %f1,[a];ld.global.f32 %f2,[%rd1];add.rn.f32 %f3,%f1,%f2;st.global.f32 [%rd1],%f3;" post "ret;}\n"
CNT("c0","","") CNT("c1","griddepcontrol.wait;","") CNT("c2","griddepcontrol.launch_dependents;griddepcontrol.wait;","")
CNT("c3","griddepcontrol.wait;","griddepcontrol.launch_dependents;")
CNT("c4","griddepcontrol.wait;griddepcontrol.launch_dependents;","")
#define ADD(n,pre) ".visible .entry " n "(.param .u64 y,.param .u64 m,.param .f32 a){.reg .b64 %rd<5>;.reg .b32 %r<8>;.reg .f32 %f<4>;" pre "ld.param.u64 %rd1,[y];ld.param.f32 %f1,[a];mov.u32 %r1,%ctaid.x;mov.u32 %r2,%ntid.x;mov.u32 %r3,%tid.x;mad.lo.u32 %r4,%r1,%r2,%r3;mul.wide.u32 %rd2,%r4,4;add.u64 %rd3,%rd1,%rd2;ld.global.f32 %f2,[%rd3];add.rn.f32 %f3,%f1,%f2;st.global.f32 [%rd3],%f3;ret;}\n"
ADD("a0","") ADD("a1","griddepcontrol.wait;") ADD("a2","griddepcontrol.launch_dependents;griddepcontrol.wait;")
ADD("a4","griddepcontrol.wait;griddepcontrol.launch_dependents;")
// As a4, if the grid has at most 264 cubes.
ADD("a5","griddepcontrol.wait;{.reg .pred %p;.reg .b32 %c<3>;.reg .b64 %n<2>;mov.u32 %c0,%nctaid.x;mov.u32 %c1,%nctaid.y;mov.u32 %c2,%nctaid.z;mul.lo.u32 %c1,%c1,%c2;mul.wide.u32 %n0,%c0,%c1;setp.le.u64 %p,%n0,264;@%p griddepcontrol.launch_dependents;}")
;
static P mod,st; static D mem;
static P fn(const char*n){P f;C(cuModuleGetFunction(&f,mod,n));return f;}
static void launch(P f,int pdl,unsigned g,unsigned b,int params){
 D y=mem,m=1;float a=1;void*ps[]={&y,&m,&a};
 Attr at;memset(&at,0,sizeof at);at.id=6;at.v.i=1;
 Cfg c={g,1,1,b,1,1,0,st,&at,pdl?1:0};
 C(cuLaunchKernelEx(&c,f,params?ps:0,0));}
static void ctx(unsigned flags,P*c){C(cuCtxCreate_v2(c,flags,0));C(cuModuleLoadData(&mod,SRC));C(cuStreamCreate(&st,1));C(cuMemAlloc_v2(&mem,1<<24));C(cuMemsetD8_v2(mem,0,1<<24));}
int main(){void*h=dlopen("libcuda.so.1",RTLD_NOW);if(!h){printf("%s\n",dlerror());return 1;}
#define L(n) *(void**)&n=dlsym(h,#n);if(!n)printf("no %s\n",#n);
L(cuInit)L(cuDeviceGet)L(cuCtxCreate_v2)L(cuCtxDestroy_v2)L(cuModuleLoadData)L(cuModuleGetFunction)L(cuLaunchKernel)L(cuLaunchKernelEx)L(cuStreamCreate)L(cuStreamSynchronize)L(cuStreamQuery)L(cuEventCreate)L(cuEventRecord)L(cuEventQuery)L(cuEventSynchronize)L(cuEventElapsedTime)L(cuMemAlloc_v2)L(cuMemHostAlloc)L(cuMemHostGetDevicePointer_v2)L(cuStreamWriteValue32_v2)L(cuStreamBeginCapture_v2)L(cuStreamEndCapture)L(cuGraphInstantiateWithFlags)L(cuGraphLaunch)L(cuMemsetD8_v2)L(cuMemcpyDtoH_v2)L(cuCtxSynchronize)
 C(cuInit(0));
 for(int flags=0;flags<=2;flags++){ /*0 auto 1 spin 2 yield*/
  P c;ctx(flags,&c);
  volatile uint32_t*hp;D hd;C(cuMemHostAlloc((void**)&hp,64,2));C(cuMemHostGetDevicePointer_v2(&hd,(void*)hp,0));*hp=0;
  P e;C(cuEventCreate(&e,2));
  P f=fn("c0");
  for(int rep=0;rep<2;rep++)for(int how=0;how<6;how++){
   static double t[2000];
   for(int i=0;i<2000;i++){double s=now();launch(f,0,1,1,1);
    if(how==0)C(cuStreamSynchronize(st));
    if(how==1)while(cuStreamQuery(st)==600);
    if(how==2){C(cuEventRecord(e,st));while(cuEventQuery(e)==600);}
    if(how==3){C(cuEventRecord(e,st));C(cuEventSynchronize(e));}
    if(how==4){C(cuStreamWriteValue32_v2(st,hd,i+1,0));while(*hp!=(uint32_t)i+1)__builtin_ia32_pause();}
    if(how==5)C(cuCtxSynchronize());
    t[i]=now()-s;}
   qsort(t,2000,8,cmp);
   static const char*n[]={"cuStreamSynchronize","cuStreamQuery","event+query","event+sync","write value+poll","cuCtxSynchronize"};
   printf("launch+sync flags %d %-20s min %.2f median %.2f p90 %.2f\n",flags,n[how],t[0],t[1000],t[1800]);
  }
  if(flags<2)C(cuCtxDestroy_v2(c));
 }
 P e0,e1;C(cuEventCreate(&e0,0));C(cuEventCreate(&e1,0));
 struct{const char*n;unsigned g,b;int p;}ks[]={{"e0",1,1,0},{"e1",1,1,0},{"e2",1,1,0},{"c0",1,1,1},{"c1",1,1,1},{"c2",1,1,1},{"c3",1,1,1},{"c4",1,1,1},{"a0",16,256,1},{"a1",16,256,1},{"a2",16,256,1},{"a4",16,256,1},{"a5",16,256,1},{"a0",132,256,1},{"a1",132,256,1},{"a2",132,256,1},{"a4",132,256,1},{"a5",132,256,1},{"a0",256,256,1},{"a1",256,256,1},{"a2",256,256,1},{"a4",256,256,1},{"a5",256,256,1},{"a0",512,256,1},{"a1",512,256,1},{"a2",512,256,1},{"a4",512,256,1},{"a5",512,256,1},{"a0",1024,256,1},{"a1",1024,256,1},{"a2",1024,256,1},{"a4",1024,256,1},{"a5",1024,256,1},{"a0",2048,256,1},{"a1",2048,256,1},{"a2",2048,256,1},{"a4",2048,256,1},{"a5",2048,256,1},{"a0",4096,256,1},{"a1",4096,256,1},{"a2",4096,256,1},{"a4",4096,256,1},{"a5",4096,256,1}};
 for(int rep=0;rep<2;rep++)for(unsigned k=0;k<sizeof ks/sizeof*ks;k++)for(int pdl=0;pdl<2;pdl++){
  P f=fn(ks[k].n);
  if(pdl&&ks[k].n[1]=='0')continue;
  double best=1e9,bg=1e9;float ms,ev=1e9;
  C(cuMemsetD8_v2(mem,0,1<<24));
  for(int i=0;i<7;i++){double s=now();for(int j=0;j<1000;j++)launch(f,pdl,ks[k].g,ks[k].b,ks[k].p);C(cuStreamSynchronize(st));double x=(now()-s)/1000;if(x<best)best=x;}
  float got=0;C(cuMemcpyDtoH_v2(&got,mem,4));
  P g,x;C(cuStreamBeginCapture_v2(st,2));for(int j=0;j<1000;j++)launch(f,pdl,ks[k].g,ks[k].b,ks[k].p);C(cuStreamEndCapture(st,&g));
  C(cuGraphInstantiateWithFlags(&x,g,0));
  for(int i=0;i<7;i++){double s=now();C(cuEventRecord(e0,st));C(cuGraphLaunch(x,st));C(cuEventRecord(e1,st));C(cuStreamSynchronize(st));double y=(now()-s)/1000;if(y<bg)bg=y;C(cuEventElapsedTime(&ms,e0,e1));if(ms<ev)ev=ms;}
  float got2=0;C(cuMemcpyDtoH_v2(&got2,mem,4));
  printf("%s grid %u pdl %d: stream %.3f us, graph host %.3f us, device %.3f us; sums %g %g\n",ks[k].n,ks[k].g,pdl,best,bg,ev,got,got2);
 }
}
