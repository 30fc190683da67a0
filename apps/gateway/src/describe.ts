// Prints an OpenAPI document as JSON: `node apps/gateway/src/describe.ts <openapi|administration>`.
import { administrationDescription, openApiDocument } from './http/documents.ts'

const documents: Record<string, unknown> = { openapi: openApiDocument, administration: administrationDescription }
process.stdout.write(`${JSON.stringify(documents[process.argv[2] ?? ''], undefined, 2)}\n`)
