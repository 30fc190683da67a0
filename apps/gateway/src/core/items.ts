import type { FaultCode, FaultDetail } from '@herald/contracts/fault'

/** The result of one item of a batch: the item's index in the request, and the status and answer that a request for this item alone would have. */
export type ItemResult<Answer extends object> =
  | ({ index: number; status: number } & Answer)
  | { index: number; status: number; error: { code: FaultCode; message: string; details?: FaultDetail[] } }

/**
 * Makes the result of a refused item of a batch. The fault names fields by their paths in the item alone; in the result the paths begin with
 * `<list>.<index>.`, so that they name fields of the batch's body.
 */
export function refusedItem(
  list: string,
  index: number,
  { code, status, message, details }: { code: FaultCode; status: number; message: string; details?: FaultDetail[] | undefined },
): ItemResult<never> {
  if (details === undefined) return { index, status, error: { code, message } }
  const at = `${list}.${index}`
  const placed = (path: string) => (path === '' ? at : `${at}.${path}`)
  const first = details[0]?.path
  const said = first === '' ? 'The body' : first
  return {
    index,
    status,
    error: {
      code,
      message: first !== undefined && message.startsWith(`${said} `) ? placed(first) + message.slice(said?.length) : message,
      details: details.map((detail) => ({ ...detail, path: placed(detail.path) })),
    },
  }
}
