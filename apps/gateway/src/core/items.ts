import type { FaultCode, FaultDetail } from '@herald/contracts/fault'

/** What became of one item of a batch, by its place in the request: the status and answer that the call for it alone would have. */
export type ItemResult<Answer extends object> =
  | ({ index: number; status: number } & Answer)
  | { index: number; status: number; error: { code: FaultCode; message: string; details?: FaultDetail[] } }

/** A refused item. Its fault names fields as the call for the item alone does; here they are named from the request's body on: `<list>.<index>.…`. */
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
