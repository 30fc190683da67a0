import { prepareHead, type PreparedHead } from '@herald/http2/client/head'
import type { Request } from '@herald/http2/client/stream'
import { answerLimitMs, type Push } from '../provider.ts'

/** The headers and the path that pushes of a project have in common until the access token changes. */
export type FcmHead = { readonly head: PreparedHead; readonly path: string }

export const makeHead = (authority: string, projectId: string, token: string): FcmHead => ({
  head: prepareHead({
    authority,
    fields: [
      ['authorization', `Bearer ${token}`],
      ['content-type', 'application/json;charset=utf-8'],
    ],
  }),
  path: `/v1/projects/${projectId}/messages:send`,
})

/** Makes the request of a push. The body is FCM's JSON, which holds the device's token. */
export const make = ({ body }: Push, { head, path }: FcmHead): Request => ({ head, path, body, timeoutMs: answerLimitMs })
