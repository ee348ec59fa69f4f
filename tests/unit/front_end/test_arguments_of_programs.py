"""Arguments of programs: what `argc` and `argv` decide, with those that are said and without any."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check, format_test

_MAIN = "int main(int argc, char** argv) {{ sycl::queue q; int* x = sycl::malloc_shared<int>(1, q); {body} }}"


def source(text: str, arguments: str = "", question: str = "") -> KernelSource:
    asked = KernelRequest(questions=(question,) if question else (), arguments=tuple(arguments.split()))
    return KernelSource("sample.cpp", text, asked)


def judged(text: str, arguments: str = "", question: str = "") -> Judged:
    result = check(source(text, arguments, question))
    assert isinstance(result, Judged)
    return result


def refused(text: str, arguments: str = "") -> str:
    with pytest.raises(InputError) as caught:
        check(source(text, arguments))
    assert [one.code for one in caught.value.diagnostics] == ["E207"]
    return caught.value.diagnostics[0].message


@pytest.mark.parametrize(
    ("body", "arguments", "value"),
    [
        ("int n = argc > 1 ? atoi(argv[1]) : 4; *x = n;", "", 4),
        ("int n = argc > 1 ? atoi(argv[1]) : 4; *x = n;", "7", 7),
        ("int n = (argc > 1) ? std::stoi(argv[1]) : 5; *x = n;", "", 5),
        ("size_t n = (argc > 1) ? std::stoul(argv[1]) : 1 << 3; *x = n;", "", 8),
        ("size_t n = (argc > 1) ? std::stoul(argv[1]) : 1 << 3; *x = n;", "7", 7),
        ("int n = (argc < 2) ? 5 : atoi(argv[1]); int m = argc > 2 ? atoi(argv[2]) : n / 2; *x = m;", "6", 3),
        ("const auto n = static_cast<size_t>(std::stoi(argv[1])); *x = n;", "3", 3),
        ("int n = atoi(argv[1]); *x = n;", "-3", -3),
        ("int n = 4; if (atoi(argv[1]) % 4 == 1) { n = 5; } *x = n;", "-7", 4),
        ("int n = 4; if (atoi(argv[1]) % 4 == 1) { n = 5; } *x = n;", "9", 5),
        ("double f = atof(argv[1]); *x = f * 2;", "2.5", 5),
        ("long n = strtol(argv[1], NULL, 0); *x = n;", "0x10", 16),
        ('int n = 1; if (argc == 2) sscanf(argv[1], "%d", &n); *x = n;', "2", 2),
        ("int n = 3; if (argc == 2) n = atoi(argv[1]); *x = n;", "", 3),
        ("int n = 3; if (argc >= 2 && argv[1][0] == 'a') { n = 1; } else { n = 6; } *x = n;", "", 6),
        ("int n = 3; if (argc >= 2 && argv[1][0] == 'a') { n = 1; } else { n = 6; } *x = n;", "all", 1),
        ("int n = 3; if (1 == argc) n = 7; else n = atoi(argv[1]); *x = n; std::cout << argv[0] << argc;", "", 7),
        ('bool v = argc > 2 && strcmp(argv[2], "-v") == 0; *x = v;', "3 -v", 1),
        ('bool v = argc > 2 && strcmp(argv[2], "-v") == 0; *x = v;', "3", 0),
        ('bool v = argc < 3 || strcmp(argv[2], "-v") != 0; *x = v;', "3", 1),
        ("*x = argc;", "", 1),
        ('if (argc != 3) { printf("%s n m", argv[0]); return 1; } *x = atoi(argv[1]) * 10 + atoi(argv[2]);', "2 3", 23),
        ("int n = 4; try { if (argc == 2) n = std::stoi(argv[1]); } catch (...) { return 1; } *x = n;", "3", 3),
        ("if (argc > 1) { *x = atoi(argv[1]); return 0; } *x = 9;", "5", 5),
        ("if (argc == 1) { *x = 2; return 0; } *x = atoi(argv[1]);", "", 2),
    ],
)
def test_what_arguments_decide(body: str, arguments: str, value: int) -> None:
    assert judged(_MAIN.format(body=body), arguments, f"forall (x[0]={value})").holds is True


_SWITCH = "int n; switch (argc) { case 1: n = 4; break; case 2: n = atoi(argv[1]); default: n++; } *x = n;"
_GETOPT = (
    'int c, n = 2; bool v = false; while ((c = getopt(argc, argv, "n:v")) != -1) { switch (c) '
    "{ case 'n': n = atoi(optarg); break; case 'v': v = true; break; default: abort(); } } *x = v ? n : n + 1;"
)
_OPTIONS = (
    "int n = 1; bool quiet = false; for (int i = 1; i < argc; i++) { std::string a = argv[i]; "
    'if (a == "-n" && i + 1 < argc) n = std::stoi(argv[++i]); else if (a == "-q") { quiet = true; continue; } '
    'else if (a == "-h") return 0; n *= 2; } *x = quiet ? n : 0;'
)


@pytest.mark.parametrize(
    ("body", "arguments", "value"),
    [
        ("int n = 3; int i = 1; while (i < argc) { n += atoi(argv[i]); i++; } *x = n;", "", 3),
        ("int n = 3; int i = 1; while (i < argc) { n += atoi(argv[i]); i++; } *x = n;", "1 2 3", 9),
        (
            (
                "int n = 0; for (int i = 1; i < argc; ++i) { if (i == 2) continue; if (i == 4) break; "
                "n = n * 10 + atoi(argv[i]); } *x = n;"
            ),
            "1 2 3 4",
            13,
        ),
        ("int i = 0; int n = 0; do { n += i; i++; } while (i < argc); *x = n;", "1 2", 3),
        ("int i = 0; do { i++; if (i == 2) break; } while (i < argc); *x = i;", "1 2", 2),
        (
            (
                "int n = 0; for (int i = 1; i < argc; i++) { for (int i = 0; i < 2; i++) n += i; "
                "n += 10 * atoi(argv[i]); } *x = n;"
            ),
            "5 6",
            112,
        ),
        (_OPTIONS, "", 0),
        (_OPTIONS, "-n 5 -q", 10),
        (_SWITCH, "", 4),
        (_SWITCH, "8", 9),
        (_SWITCH.replace("default: n++;", ""), "8", 8),
        (_GETOPT, "", 3),
        (_GETOPT, "-n 7 -v", 7),
        (_GETOPT, "-n7", 8),
        (
            (
                "int n = 0; for (int i = 1; i < argc; i++) if (argv[i][0] == '-') switch (argv[i][1]) "
                "{ case 'n': n = atoi(argv[i] + 2); break; case 'm': n = 1; } *x = n;"
            ),
            "-n5",
            5,
        ),
    ],
)
def test_loops_over_arguments(body: str, arguments: str, value: int) -> None:
    assert judged(_MAIN.format(body=body), arguments, f"forall (x[0]={value})").holds is True


_PASSED_ON = """
void usage(const char* name) { printf("%s [-n N]", name); }
int number(int, char**);
int number(int count, char* texts[]) {
  int n = 4;
  if (count > 1 && strcmp(texts[1], "-n") == 0) {
    if (count < 3) { usage(texts[0]); exit(EXIT_FAILURE); }
    n = atoi(texts[2]);
  }
  return n;
}
int main(int argc, char* argv[]) {
  int n = number(argc, argv);
  sycl::queue q;
  int* x = sycl::malloc_shared<int>(1, q);
  *x = n;
}
"""


def test_arguments_that_are_passed_on() -> None:
    assert judged(_PASSED_ON, "", "forall (x[0]=4)").holds is True
    assert judged(_PASSED_ON, "-n 6", "forall (x[0]=6)").holds is True
    assert refused(_PASSED_ON, "-n").startswith("the program is run with the arguments '-n', and ends here before it")


def test_arguments_are_sizes() -> None:
    body = (
        "int n = argc > 1 ? atoi(argv[1]) : 2; int* y = sycl::malloc_shared<int>(n, q); "
        "q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { *x = 1; y[i] = i; }).wait();"
    )
    assert [one.kind for one in judged(_MAIN.format(body=body), "2").races] == ["data-race"]
    assert judged(_MAIN.format(body=body), "1").races == ()


@pytest.mark.parametrize("signature", ["", "void", "int, char**", "int, char*[]", "[[maybe_unused]] int n, char** v"])
def test_arguments_without_names(signature: str) -> None:
    text = f"int main({signature}) {{ sycl::queue q; int* x = sycl::malloc_shared<int>(1, q); *x = 3; (void)*x; }}"
    found = judged(text, "", "forall (x[0]=3)")
    assert found.holds is True
    assert found.diagnostics == ()


@pytest.mark.parametrize(
    ("body", "arguments", "message"),
    [
        ("if (argc != 2) { return 1; }", "", "the program is run without arguments, and ends here before it does"),
        ("if (argc < 2) exit(1);", "", "the program is run without arguments, and ends here before it does"),
        ("if (argc == 2) ; else return 1;", "", "the program is run without arguments, and ends here before it does"),
        ("int n = atoi(argv[1]);", "", "there is no 'argv[1]': the program is run without arguments"),
        ("int n = atoi(argv[2]);", "5", "there is no 'argv[2]': the program is run with the arguments '5'"),
        ("int n = std::stoi(argv[1]);", "x", "'stoi' throws, as no number begins 'x', and the program ends here"),
        ("char* e; long n = strtol(argv[1], &e, 10);", "5", "what is made of the arguments of the program here is not"),
        ("use(argv);", "5", "what is made of the arguments of the program here is not followed ('argv')"),
        ("int* x; for (int i = 1; i < argc; i++) if (*x) i++;", "5", "the arguments of the program and what only a"),
        ("int* x; for (int i = 1; i < argc; i++) if (*x) break;", "5", "the arguments of the program and what only a"),
        ("int* x; int i = 0; while (*x) i++; *x = i < argc;", "5", "the arguments of the program and what only a"),
        ("int i = 0; auto f = [&] { i++; }; f(); int n = i < argc;", "5", "the arguments of the program and what only"),
    ],
)
def test_arguments_that_are_missing_or_not_followed(body: str, arguments: str, message: str) -> None:
    assert refused(f"int main(int argc, char** argv) {{ {body} }}", arguments).startswith(message)


def test_pointers_to_texts_are_not_compared_letter_by_letter() -> None:
    text = _MAIN.format(body='const char* a = argv[1]; if (a == "5") return 1; *x = 1;')
    with pytest.raises(InputError):
        check(source(text, "5"))


def test_that_a_run_without_arguments_is_supposed_is_told() -> None:
    asks = _MAIN.format(body="*x = argc > 1 ? atoi(argv[1]) : 4;")
    told = judged(asks).diagnostics
    assert [(one.code, one.span.text) for one in told] == [("W155", "argc")]
    assert "the program is run without arguments here, 'argc' is 1" in told[0].message
    assert judged(asks, "4").diagnostics == ()
    assert judged(_MAIN.format(body="*x = 1; std::cout << argv[0] << argc;")).diagnostics == ()


def test_arguments_that_a_program_does_not_ask_for_are_told() -> None:
    text = "int main() { sycl::queue q; int* x = sycl::malloc_shared<int>(1, q); *x = 3; }"
    told = judged(text, "1 2").diagnostics
    assert [(one.code, one.span.text) for one in told] == [("W155", "1 2")]


def test_the_printed_test_has_what_arguments_decide() -> None:
    text = _MAIN.format(body='int n = argc > 1 ? atoi(argv[1]) : 4; *x = n; if (argc > 2) printf("%d", n);')
    assert "int n = 7;" in format_test(source(text, "7"))


_LISTED = (
    "std::vector<std::string> args(FROM, argv + argc); int n = 4; bool fast = false; "
    'for (size_t i = 0; i < args.size(); i++) { if (args[i] == "-n") n = std::stoi(args[++i]); '
    'else if (args.at(i) == "--fast") fast = true; } if (args.empty()) n = 9; *x = 10 * n + fast;'
)


@pytest.mark.parametrize("first", ["argv", "argv + 1"])
@pytest.mark.parametrize(("arguments", "value"), [("-n 2 --fast", 21), ("--fast", 41), ("-n 3", 30)])
def test_vectors_of_arguments(first: str, arguments: str, value: int) -> None:
    text = _MAIN.format(body=_LISTED.replace("FROM", first))
    assert judged(text, arguments, f"forall (x[0]={value})").holds


def test_vectors_without_arguments() -> None:
    assert judged(_MAIN.format(body=_LISTED.replace("FROM", "argv + 1")), "", "forall (x[0]=90)").holds
    assert judged(_MAIN.format(body=_LISTED.replace("FROM", "argv")), "", "forall (x[0]=40)").holds
    body = "std::vector<std::string> args(argv, argv + argc); *x = 1; for (auto& one : args) *x += one.size();"
    assert "what is made of the arguments of the program here is not followed" in refused(_MAIN.format(body=body))
