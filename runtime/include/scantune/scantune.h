/* scantune for C and everything that can call C: kernels that are tuned for this GPU and this n, run by one call.
 *
 *   scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
 *   request.head.n = n;
 *   request.input_type = request.output_type = SCANTUNE_I32;
 *   scantune_arrays arrays = SCANTUNE_ARRAYS_INIT;
 *   arrays.of[SCANTUNE_INPUT] = device_input;
 *   arrays.of[SCANTUNE_OUTPUT] = device_output;
 *   if (scantune_run(&request.head, &arrays, stream) != SCANTUNE_OK)
 *     fprintf(stderr, "%s\n", scantune_error_message());
 *
 * Every function that can fail returns a status and never throws; scantune_error_message() says what was requested,
 * what was found and what to do. After a SCANTUNE_REQUEST_ERROR no output was written, and nothing was launched but the
 * check of offsets that a load balance may ask for; after another error of a call of several launches the outputs may
 * hold anything. All functions may be called from any thread. The rules for
 * streams, plans and graphs are in docs/concurrency.md.
 */
#ifndef SCANTUNE_H
#define SCANTUNE_H

#include <stddef.h>
#include <stdint.h>

#include "scantune/requests.h"

/* The version of this header; scantune_version() tells the library's. */
#define SCANTUNE_VERSION_MAJOR 0
#define SCANTUNE_VERSION_MINOR 3
#define SCANTUNE_VERSION_PATCH 0

#if defined(__GNUC__)
#define SCANTUNE_API __attribute__((visibility("default")))
#else
#define SCANTUNE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scantune_plan scantune_plan;
typedef struct scantune_buffer scantune_buffer;
typedef void* scantune_stream; /* a cudaStream_t or CUstream; NULL is the legacy default stream */

/* The message of the last failed call of this thread; never NULL, valid until this thread's next failure. */
SCANTUNE_API const char* scantune_error_message(void);
/* The CUresult of the call of CUDA's driver that made this thread's last failed call fail; 0 if none did. The message
 * names it, too. */
SCANTUNE_API int32_t scantune_error_cuda_result(void);
SCANTUNE_API const char* scantune_version(void); /* MAJOR.MINOR.PATCH */

/* Takes the library's remarks: that nothing was tuned and the default config runs, that the kernel cache cannot be
 * written, and the like. Each is made once in a process, and is text without a newline at its end. */
typedef void (*scantune_log)(void* user, const char* remark);

/* Lets log(user, remark) take the remarks, in the place of standard error. NULL brings back standard error, which
 * SCANTUNE_LOG=quiet silences. Calls of log come from any thread, one after another. When this function returns, the
 * log before it is no longer called. A log must not throw, nor wait for a thread that may be inside a function of this
 * library; it may call the library itself. */
SCANTUNE_API void scantune_set_log(scantune_log log, void* user);

/* The accumulator that SCANTUNE_DEFAULT_TYPE stands for: the output's type, or the input's if that is wider and of the
 * same class (integer, floating-point), at least 4 bytes wide. SCANTUNE_DEFAULT_TYPE if either is no type. */
SCANTUNE_API scantune_type scantune_accumulator(scantune_type input, scantune_type output);

/* Sets every member of the algorithm's request to its default, as its _INIT macro does. struct_bytes: sizeof the
 * request as the caller knows it; no byte beyond is touched. */
SCANTUNE_API scantune_status scantune_request_init(scantune_head* request, scantune_algorithm algorithm,
                                                   size_t struct_bytes);

/* Does what the request asks for. Checks everything that can be checked, and returns as soon as the work is in the
 * stream. request: the head inside a request, never a copy of the head, for the rest is read after it. */
SCANTUNE_API scantune_status scantune_run(const scantune_head* request, const scantune_arrays* arrays,
                                          scantune_stream stream);
/* The same of a scan, in fewer instructions. Where a map takes the place of an array, that is NULL. */
SCANTUNE_API scantune_status scantune_scan(const scantune_scan_request* request, const void* input, void* output,
                                           scantune_stream stream);

/* A request of exactly n items, or of at most as many with device_n, ready to launch: kernels chosen, compiled and
 * loaded. The request is copied, what it points to in memory of the host as well, states among that; device_init,
 * device_inits, device_n and device_clamped are kept as pointers. Any number of threads may run one plan, or several,
 * on one stream or on many. After an error *plan is NULL. */
SCANTUNE_API scantune_status scantune_plan_create(const scantune_head* request, scantune_plan** plan);

/* Memory of the caller's for a run of a plan to work in. It lies on the device, apart from all that the run reads or
 * writes, and may hold anything: what has to be zero there is zeroed in the stream first. Its first
 * scantune_plan_workspace_bytes() bytes are used. It serves one run at a time: runs enqueued one after another in one
 * stream may share it, and a graph needs it at every replay. Calls from several threads with one workspace must take
 * turns. The struct does not grow. */
typedef struct scantune_workspace {
  void* memory;
  uint64_t bytes;
} scantune_workspace;

/* What the address of a workspace must be a multiple of, in bytes; all memory that CUDA allocates is. */
#define SCANTUNE_WORKSPACE_ALIGNMENT 256

/* Runs the plan, and returns as soon as the work is in the stream. It checks what arithmetic can (NULL, alignment,
 * overlap), but not whether the memory is there. With a workspace NULL the library provides one: it allocates nothing
 * once the stream has been used, and the call may be captured into a graph. In the caller's the library allocates
 * nothing for the run and keeps nothing for its stream, and a capture takes none of captured_launches; a plan that
 * needs no workspace takes any. A check of offsets is apart from that: it takes a few bytes of a workspace that the
 * library keeps for the stream. */
SCANTUNE_API scantune_status scantune_plan_run(const scantune_plan* plan, const scantune_arrays* arrays,
                                               const scantune_workspace* workspace, scantune_stream stream);
/* Bytes of workspace that one run of the plan needs: 0 where it needs none, and for NULL. */
SCANTUNE_API uint64_t scantune_plan_workspace_bytes(const scantune_plan* plan);
/* Which config runs, from which record, and why. The text belongs to the plan; it is "" for NULL. */
SCANTUNE_API const char* scantune_plan_description(const scantune_plan* plan);
/* No call may be using the plan; its work may still be waiting to run. NULL is fine. */
SCANTUNE_API void scantune_plan_destroy(scantune_plan* plan);

/* Functions of the program that provide the memory of workspaces, such as those of a framework's caching allocator.
 * Each is called with user, and with the number of the GPU as CUDA counts them, whose context is current, which is no
 * scantune_device; -1 is the host device. They are called in functions of this library, on the thread of whoever called
 * these, also while a stream is being captured; the library holds no lock meanwhile. They must not throw, and must not
 * call this library. */
/* Returns memory of the device, a multiple of SCANTUNE_WORKSPACE_ALIGNMENT, or NULL if there is none. It is used at
 * once on any stream: what may still be in use by work of some stream must wait for that first. */
typedef void* (*scantune_allocate)(void* user, uint64_t bytes, int32_t device);
/* Takes back memory that no work uses any more. bytes: what it was allocated with. */
typedef void (*scantune_deallocate)(void* user, void* memory, uint64_t bytes, int32_t device);

typedef struct scantune_allocator {
  size_t struct_bytes; /* sizeof(scantune_allocator) */
  scantune_allocate allocate;
  scantune_deallocate deallocate;
  void* user;
} scantune_allocator;

#define SCANTUNE_ALLOCATOR_INIT {sizeof(scantune_allocator), NULL, NULL, NULL}

/* Takes the memory of new workspaces, in the whole process, from the allocator, whose struct is copied; NULL: from the
 * driver, as without this call. Memory goes back to what it came from, so an allocator must go on taking it back after
 * another has replaced it: until scantune_trim(), once plans and graphs with captured launches are gone. A call that
 * runs meanwhile may use either. Buffers are the driver's memory. */
SCANTUNE_API scantune_status scantune_set_allocator(const scantune_allocator* allocator);

/* Gives back what is kept for a stream of the device that is about to be destroyed. No scan may run on it or be made
 * meanwhile. */
SCANTUNE_API scantune_status scantune_release(scantune_stream stream, scantune_device device);

/* Gives kept memory back to the driver, or to the allocator that it came from: the workspaces of all streams, and those
 * that wait for a new owner, on every GPU. It waits for these GPUs first. No other function may be called meanwhile,
 * and no stream captured: CUDA would refuse the wait, which is an error that leaves all as it was, and break the
 * capture off. Workspaces of captured launches stay, those of graphs and those reserved by plans, until these are gone,
 * and so do loaded kernels. Later calls allocate anew. freed_bytes: where the number of bytes given back goes, or NULL.
 */
SCANTUNE_API scantune_status scantune_trim(uint64_t* freed_bytes);

/* Memory of the device that requests run on which name that device. After an error *buffer is NULL. */
SCANTUNE_API scantune_status scantune_buffer_create(uint64_t bytes, scantune_device device, scantune_buffer** buffer);
/* Where the buffer's bytes lie on the device; NULL if the buffer is NULL or holds none. */
SCANTUNE_API void* scantune_buffer_data(const scantune_buffer* buffer);
/* Both copy the first bytes of the buffer. They wait for the scans on the device, so they must not be called while a
 * stream is being captured. */
SCANTUNE_API scantune_status scantune_buffer_upload(scantune_buffer* buffer, const void* source, uint64_t bytes);
SCANTUNE_API scantune_status scantune_buffer_download(const scantune_buffer* buffer, void* destination, uint64_t bytes);
/* No call may be using the buffer, and no scan its memory. NULL is fine. */
SCANTUNE_API void scantune_buffer_destroy(scantune_buffer* buffer);

#ifdef __cplusplus
}
#endif

#endif
