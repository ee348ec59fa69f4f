"""Functions of OpenCL and C that the litmus language does not have."""

from __future__ import annotations

import re
from typing import Final

_REAL: Final = re.compile(
    r"clEnqueue((Read|Write|Copy)BufferRect|(Read|Write|Copy|Fill|Map)Image|CopyImageToBuffer|CopyBufferToImage)|"
    r"clEnqueue(SVMFree|NativeKernel|Task|Marker|Barrier|WaitForEvents)|"
    r"cl(Create|Retain|Release)[A-Z]\w+|cl(Build|Compile|Link)Program|clUnload(Platform)?Compiler|clSVM(Alloc|Free)|"
    r"clGet(Platform|Device|Context|CommandQueue|MemObject|Image|Pipe|Sampler|Program|ProgramBuild)Info|"
    r"clGet(Kernel|KernelArg|KernelWorkGroup|KernelSubGroup|Event|EventProfiling)Info|clGet(Platform|Device)IDs|"
    r"clGet(DeviceAndHost|Host)Timer|clGetSupportedImageFormats|clGetExtensionFunctionAddress(ForPlatform)?|"
    r"clSet(KernelArg(SVMPointer)?|KernelExecInfo|(MemObject|Context)DestructorCallback|DefaultDeviceCommandQueue)|"
    r"clSet(ProgramSpecializationConstant|ProgramReleaseCallback|CommandQueueProperty|EventCallback|UserEventStatus)|"
    r"clCloneKernel|clFinish|clFlush|clWaitForEvents|cl[A-Z]\w+(KHR|EXT|INTEL|ARM|AMD|NV|IMG|QCOM|POCL|APPLE)|"
    r"async_work_group_copy_[23]D[23]D|"
    r"v(load|store)(_half|a_half)?\d*(_rt[ezpn])?|shuffle2?|printf|"
    r"(read|write)_image\w*|get_image_\w+|"
    r"enqueue_kernel|enqueue_marker|get_kernel_\w+|get_default_queue|ndrange_[123]D|"
    r"(retain|release|create_user|is_valid|set_user)_event(_status)?|capture_event_profiling_info|"
    r"(work_group|sub_group)_(reduce|scan_inclusive|scan_exclusive)_\w+|"
    r"sub_group_(non_uniform_\w+|ballot\w*|elect|shuffle\w*|rotate|clustered_\w+|block_\w+)|intel_sub_group_\w+|"
    r"(as|convert)_\w+|select|bitselect|isequal|isnan|any|all|"
    r"(abs_diff|add_sat|sub_sat|mad_hi|mad_sat|mul_hi)|"
    r"(hadd|rhadd|upsample|mix|step|sign|dot|cross|length|distance|normalize)|"
    r"(native_|half_)?(sin|cos|tan|exp|exp2|exp10|log|log2|log10|pow|powr|sqrt|rsqrt|recip|divide)|"
    r"fabs|fmin|fmax|floor|ceil|round|trunc|fma|mad|fmod|pown|ldexp|"
    r"nan|rint|hypot|cbrt|asin|acos|atan2?|ilogb|nextafter|remquo|lgamma_r|"
    r"get_fence"
)
_OF_C: Final = re.compile(
    r"atomic_(signal_fence|is_lock_free|thread_fence)|kill_dependency|assert|abort|exit|memcpy|memset|malloc|free|"
    r"thrd_\w+|mtx_\w+|cnd_\w+|pthread_\w+|calloc|realloc|strlen|str(n?cpy|n?cmp)|memmove|memcmp|puts|putchar|rand"
)


def where_real(name: str) -> str | None:
    """The language that has a function of this name: OpenCL or C; None where neither has it.

    >>> where_real("vload4"), where_real("malloc"), where_real("clEnqueueNDRange")
    ('OpenCL', 'C', None)
    """
    if _OF_C.fullmatch(name) is not None:
        return "C"
    return "OpenCL" if _REAL.fullmatch(name) is not None else None
