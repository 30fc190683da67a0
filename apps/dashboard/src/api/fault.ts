/** An error as the pages show it: the API or a proxy before it refused a request, a request got no answer, or the page has a bug. */
export class ApiFault extends Error {
  readonly status: number
  readonly code: string
  readonly details: { path: string; message: string }[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(told: {
    status: number
    code: string
    message: string
    details?: { path: string; message: string }[]
    requestId?: string | undefined
    retryAfterSeconds?: number | undefined
  }) {
    super(told.message)
    this.name = 'ApiFault'
    this.status = told.status
    this.code = told.code
    this.details = told.details ?? []
    this.requestId = told.requestId
    this.retryAfterSeconds = told.retryAfterSeconds
  }
}

/** Turns any error into one that can be shown. An error that does not come from the API is a timeout, a network error or a bug of this page. */
export function faultOf(error: unknown): ApiFault {
  if (error instanceof ApiFault) return error
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new ApiFault({
      status: 0,
      code: 'timeout',
      message: 'Herald did not answer in time. Your change may have been saved: check before you try again.',
    })
  if (error instanceof TypeError)
    return new ApiFault({
      status: 0,
      code: 'network_error',
      message: 'Herald cannot be reached. Check your connection or tell your administrator.',
    })
  return new ApiFault({
    status: 0,
    code: 'internal',
    message: error instanceof Error ? error.message : 'Something went wrong in this page.',
  })
}

/** Reads the error from an answer. An answer in another form, such as an error page of a proxy, becomes an error with its HTTP status. */
export async function readFault(response: Response): Promise<ApiFault> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const told = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  }
  const body: unknown = await response.json().catch(() => undefined)
  if (isError(body)) {
    const { code, message, details } = body.error
    return new ApiFault({ ...told, code, message, details: Array.isArray(details) ? details : [] })
  }
  return new ApiFault({ ...told, code: 'internal', message: `Something between this page and Herald answered ${response.status}.` })
}

function isError(body: unknown): body is { error: { code: string; message: string; details?: { path: string; message: string }[] } } {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false
  const { error } = body
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error
}
