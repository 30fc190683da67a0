import { client, dataOf, sendWithin } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { isPassing } from '../../api/queryClient.ts'
import { sendFile } from '../../core/import-upload.ts'
import type { components } from '../../api/schema.gen.ts'

export type ImportReport = components['schemas']['ReadImportAnswer']

/**
 * A request with a part of a file may take this long. A part of 2 MiB has some thousand rows, and a busy database needs some seconds to write them,
 * so this leaves a wide margin.
 */
const withinMs = 120_000

/** Sends the file of an import from the first byte that Herald has not stored, and finishes the import. */
export function sendImport({
  appId,
  report,
  file,
  signal,
}: {
  appId: string
  report: ImportReport
  file: File
  signal: AbortSignal
}): Promise<ImportReport> {
  const path = { appId, id: report.id }
  const type = report.format === 'jsonl' ? 'application/x-ndjson' : 'text/csv'
  return sendFile(
    {
      size: file.size,
      // The OpenAPI document gives the body the type of a text, but a part of a file is sent as bytes.
      put: async (from, to) =>
        dataOf(
          await client.PUT('/v1/admin/apps/{appId}/imports/{id}/data', {
            params: { path, query: { offset: from } },
            body: file.slice(from, to) as unknown as string,
            bodySerializer: (body: unknown) => body as Blob,
            headers: { 'content-type': type },
            fetch: sendWithin(withinMs),
            signal,
          }),
        ),
      read: async () => dataOf(await client.GET('/v1/admin/apps/{appId}/imports/{id}', { params: { path }, signal })),
      finish: async () =>
        dataOf(await client.POST('/v1/admin/apps/{appId}/imports/{id}/finish', { params: { path }, signal, fetch: sendWithin(withinMs) })),
      isPassing: (error) => !signal.aborted && (isPassing(error) || faultOf(error).code === 'timeout' || isElsewhere(error)),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      onReport: () => undefined,
    },
    report,
  )
}

/** Says whether the server refused a part because the import is at another offset. The page then reads the offset and goes on there. */
const isElsewhere = (error: unknown): boolean => {
  const { code, details } = faultOf(error)
  return code === 'invalid_state' && details.some(({ path }) => path === 'offset')
}
