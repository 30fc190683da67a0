import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { fault, invalidField } from '@herald/contracts/fault'
import { discard, mediaTypeOf } from './body.ts'

/** While the gateway waits for more of the body, a client that sends nothing for this long is disconnected. */
const longestIdleMs = 60_000

/** The connections on which a file is being uploaded. Their requests may take as long as parts of the file keep arriving. */
const uploading = new WeakSet<Duplex>()

/** Whether a file is being uploaded on this connection. The time limit of other requests does not apply to an upload. */
export const isUploading = (socket: Duplex): boolean => uploading.has(socket)

/** A body that is read as it arrives, whatever its length. */
export type Upload = { readonly mediaType: string; parts(): AsyncGenerator<Buffer> }

/** Opens the body of a request as an upload. Fault: unsupported_media_type. */
export function openUpload(
  request: IncomingMessage,
  response: ServerResponse,
  takes: readonly string[],
  { idleMs = longestIdleMs } = {},
): Upload {
  const mediaType = mediaTypeOf(request, takes)
  if (mediaType === undefined)
    throw fault(
      'unsupported_media_type',
      `The body must be as it is, without content-encoding, and text in UTF-8: content-type ${takes.join(' or ')}.`,
    )
  return {
    mediaType,
    async *parts() {
      uploading.add(request.socket)
      request.once('timeout', () => request.destroy())
      request.setTimeout(idleMs)
      try {
        for await (const part of request.iterator({ destroyOnReturn: false })) {
          // The database went away, so the request was answered before its body had arrived.
          if (response.headersSent || response.destroyed) break
          // While audience writes the rows of this part, the client may send nothing, because the gateway reads nothing.
          request.setTimeout(0)
          yield part as Buffer
          request.setTimeout(idleMs)
        }
        if (!request.readableEnded) throw endedEarly()
      } catch {
        throw endedEarly()
      } finally {
        uploading.delete(request.socket)
        request.setTimeout(0)
        if (!request.readableEnded) discard(request)
      }
    },
  }
}

const endedEarly = () => invalidField('', 'ended before it was complete')
