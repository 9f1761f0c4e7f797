/* Shared by the C tests. */
#include "cube.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what) \
  do { \
    if (!(what)) { \
      fprintf(stderr, "%s:%d: this condition is false: %s\n", __FILE__, __LINE__, #what); \
      exit(1); \
    } \
  } while (0)

/* Ends the test with the error text if a call fails. */
#define WORKS(call) \
  do { \
    if (!(call)) { \
      fprintf(stderr, "%s:%d: %s\n  %s\n", __FILE__, __LINE__, #call, error ? error : "(no message)"); \
      exit(1); \
    } \
    CHECK(error == NULL); \
  } while (0)

/* Ends the test if a call does not fail with this code and a text that contains these words. */
#define FAILS(call, code_is, words) \
  do { \
    char code[9]; \
    CHECK(!(call)); \
    CHECK(error != NULL && cube_error_code(error, code)); \
    if (strcmp(code, code_is) != 0 || strstr(error, words) == NULL) { \
      fprintf(stderr, "%s:%d: expected %s with '%s', found: %s\n", __FILE__, __LINE__, code_is, words, error); \
      exit(1); \
    } \
    /* The message about an invalid call begins with the name of the function. */ \
    if (strcmp(code, "CUBE0925") == 0) \
      CHECK(strncmp(error + strlen("error[CUBE0925]: "), #call, strcspn(#call, "(")) == 0 && strchr(error, ';') != NULL); \
    cube_text_free(error); \
    error = NULL; \
  } while (0)

static inline char *read_file(const char *name, size_t *length) {
  static char text[1 << 16];
  FILE *file = fopen(name, "rb");
  CHECK(file != NULL);
  *length = fread(text, 1, sizeof text - 1, file);
  text[*length] = 0;
  fclose(file);
  return text;
}
