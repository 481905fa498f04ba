/** What modules export, types too, by the TypeScript of typedoc: the one of this repository has no interface for programs to ask. */
import { createRequire } from "node:module";

const ts = createRequire(import.meta.resolve("typedoc"))("typescript");

/**
 * @param {readonly string[]} files declarations (`.d.ts`)
 * @returns of each file, what it exports; `id` is the same for one thing that several modules export, and `about` its comment.
 */
export function listExports(files) {
  const program = ts.createProgram(files, { module: ts.ModuleKind.NodeNext, skipLibCheck: true });
  const checker = program.getTypeChecker();
  return files.map((file) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file))).map((symbol) => {
      const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
      const id = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
      const about = ts.displayPartsToString(id.getDocumentationComment(checker));
      const isTypeOnly = symbol.declarations?.some(ts.isTypeOnlyImportOrExportDeclaration) === true;
      return { name: symbol.name, isType: isTypeOnly || (id.flags & ts.SymbolFlags.Value) === 0, id, about };
    }),
  );
}
