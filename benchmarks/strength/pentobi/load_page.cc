/// @file
/// Preloaded into Pentobi: the page it loads is the one that PENTOBI_PAGE names, not its own window.
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <string>

/// A QString of Qt 6 whose characters belong to somebody else.
struct BorrowedString {
    void* owner = nullptr;
    const char16_t* text = nullptr;
    std::ptrdiff_t size = 0;
};

/// `QQmlApplicationEngine::load(const QString&)` as compilers of Linux name it.
#define NAME_OF_LOAD "_ZN21QQmlApplicationEngine4loadERK7QString"

void load_page(void* engine, const BorrowedString& page) asm(NAME_OF_LOAD);

void load_page(void* engine, const BorrowedString& page) {
    const auto load = reinterpret_cast<decltype(&load_page)>(dlsym(RTLD_NEXT, NAME_OF_LOAD));
    const char* ours = std::getenv("PENTOBI_PAGE");
    if (ours == nullptr) {
        load(engine, page);
        return;
    }
    const std::string path{ours};
    const std::u16string wide{path.begin(), path.end()};
    load(engine, BorrowedString{nullptr, wide.data(), static_cast<std::ptrdiff_t>(wide.size())});
}
