#pragma once
// ORACLE_VECTORIZED before a function compiles it for several instruction sets; the loader picks
// one. The sanitizers start later than the loader's choice, so they get one version.

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    defined(__GNUC__) && !defined(__clang__)
#define ORACLE_VECTORIZED __attribute__((target_clones("avx512f", "avx2,fma", "default")))
#else
#define ORACLE_VECTORIZED
#endif
