"""Tests in another language: OpenCL C as SYCL, and SYCL as OpenCL C."""
