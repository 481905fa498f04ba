import { load, type PackageDefinition } from "@grpc/proto-loader";
import { dirname } from "node:path";

/**
 * Reads a `.proto` file and what it imports, from the file's own folder or from `folder`; names stay as they are in the
 * file. Rejects with an `Error` that names the file and says what is wrong with it.
 */
export async function loadProto(file: string, folder: string): Promise<PackageDefinition> {
  try {
    return await load(file, {
      keepCase: true,
      longs: String,
      enums: String,
      bytes: String,
      defaults: true,
      includeDirs: [dirname(file), folder],
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `proto: expected a .proto file that can be read, with what it imports, got ${file}: ${why}. ` +
        `Imports are looked for in its own folder and in ${folder}.`,
      { cause: error },
    );
  }
}
