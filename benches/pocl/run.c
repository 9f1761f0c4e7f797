// Measures the kernels of kernels.cl on an OpenCL device of the CPU: `run KERNELS.cl ROUNDS`. Each line of the output has the name of
// a kernel, the shortest time of all rounds in seconds, and two elements of the result.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static int rounds;

static void ok(cl_int error, const char *what) {
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, error);
        exit(1);
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static float value(size_t i) { return (float)(i * 7919 % 1000) * 0.001f - 0.5f; }

static cl_mem buffer(size_t count, int fill) {
    cl_int error;
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, count * 4, NULL, &error);
    ok(error, "buffer");
    float *host = malloc(count * 4);
    for (size_t i = 0; i < count; ++i) {
        if (fill == 2) ((cl_uint *)host)[i] = (cl_uint)(i * 7919 % 1000);
        else host[i] = fill ? value(i) : 0.0f;
    }
    ok(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, count * 4, host, 0, NULL, NULL), "write");
    free(host);
    return mem;
}

// Runs a kernel `rounds` times. Prints the shortest time, and two elements of the result for the comparison with Cube.
static void run(const char *name, cl_mem *buffers, int count, const cl_uint *scalar, int dims, size_t global, size_t local, cl_mem out) {
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    ok(error, name);
    for (int i = 0; i < count; ++i) ok(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), name);
    if (scalar) ok(clSetKernelArg(kernel, count, sizeof(cl_uint), scalar), name);
    size_t globals[2] = {global, global}, locals[2] = {local, local};
    double best = INFINITY;
    for (int r = 0; r < rounds; ++r) {
        double start = now();
        ok(clEnqueueNDRangeKernel(queue, kernel, dims, NULL, globals, locals, 0, NULL, NULL), name);
        ok(clFinish(queue), name);
        double took = now() - start;
        if (took < best) best = took;
    }
    cl_uint bits[2] = {0, 0};
    if (out) {
        ok(clEnqueueReadBuffer(queue, out, CL_TRUE, 4 * 77, 4, &bits[0], 0, NULL, NULL), "read");
        ok(clEnqueueReadBuffer(queue, out, CL_TRUE, 4 * 1000, 4, &bits[1], 0, NULL, NULL), "read");
    }
    printf("%s %.9f %u %u\n", name, best, bits[0], bits[1]);
    fflush(stdout);
    clReleaseKernel(kernel);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    rounds = atoi(argv[2]);
    FILE *file = fopen(argv[1], "rb");
    if (!file) return 2;
    char *source = calloc(1, 1 << 20);
    size_t size = fread(source, 1, (1 << 20) - 1, file);
    fclose(file);
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    ok(clGetPlatformIDs(1, &platform, NULL), "no OpenCL platform");
    ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), "no OpenCL device of the processor");
    char name[256];
    ok(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "name");
    printf("device %s\n", name);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    ok(error, "context");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    ok(error, "queue");
    program = clCreateProgramWithSource(context, 1, (const char **)&source, &size, &error);
    ok(error, "program");
    error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (error != CL_SUCCESS) {
        static char log[1 << 14];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    ok(error, "build");
    size_t n = (size_t)1 << 26;
    cl_mem a = buffer(n, 1), b = buffer(n, 1), c = buffer(n, 0);
    run("add", (cl_mem[]){a, b, c}, 3, NULL, 1, n / 4, 256, c);
    run("gelu", (cl_mem[]){a, c}, 2, NULL, 1, n, 256, c);
    cl_uint cols = 4096;
    run("softmax", (cl_mem[]){a, c}, 2, &cols, 1, n / cols * 256, 256, c);
    cols = 8192;
    run("row_sum", (cl_mem[]){a, c}, 2, &cols, 1, n / cols, 64, c);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    size_t m = (size_t)1 << 24;
    cl_mem x = buffer(m, 2);
    run("scan", (cl_mem[]){x, c}, 2, NULL, 1, m, 256, c);
    cl_uint side = 1024;
    cl_mem p = buffer((size_t)side * side, 1), q = buffer((size_t)side * side, 1);
    run("matmul", (cl_mem[]){p, q, c}, 3, &side, 2, side, 16, c);
    rounds *= 100;
    run("nothing", NULL, 0, NULL, 1, 1, 1, NULL);
    return 0;
}
