/** For authors of plugins: fakes and contract suites. */
export {};
