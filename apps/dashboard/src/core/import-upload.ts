/** How far an import is: the fields that sending needs. */
export type Standing = { offset: number; state: 'receiving' | 'finished' | 'cancelled' }

/** What sending a file needs. `put` sends the bytes from `from` to `to`; `isPassing` says whether an error may pass by itself. */
export type Upload<Report extends Standing> = {
  size: number
  put: (from: number, to: number) => Promise<Report>
  read: () => Promise<Report>
  finish: () => Promise<Report>
  isPassing: (error: unknown) => boolean
  wait: (ms: number) => Promise<void>
  onReport: (report: Report) => void
}

/** A row has at most 1 MiB, so that each part ends at least one. */
export const partBytes = 2 * 1024 ** 2
const mostPartBytes = 16 * 1024 ** 2
/** How often in a row a part is tried: for about two minutes, in which a gateway is replaced and a laptop finds its network again. */
export const mostTries = 16

/** Before the n-th try again: 0.5 s doubling to 10 s. */
const pauseBefore = (tries: number): number => Math.min(500 * 2 ** tries, 10_000)

/**
 * Sends the file of an import from where the import is, part after part, and finishes it. After an error that passes it asks where the import is and goes
 * on there: the server writes each row once, whatever was heard of it.
 */
export async function sendFile<Report extends Standing>(upload: Upload<Report>, begun: Report): Promise<Report> {
  let report = begun
  let part = partBytes
  let tries = 0
  for (;;) {
    const from = report.offset
    const to = Math.min(upload.size, from + part)
    try {
      report = to > from ? await upload.put(from, to) : report
      upload.onReport(report)
      tries = 0
    } catch (error) {
      if (!upload.isPassing(error) || tries >= mostTries) throw error
      await upload.wait(pauseBefore(tries))
      tries += 1
      report = await upload.read().catch((fault: unknown) => {
        if (!upload.isPassing(fault)) throw fault
        return report
      })
      if (report.state !== 'receiving') return report
      continue
    }
    if (to === upload.size) break
    // No row ended in this part, so the next part is longer.
    part = report.offset === from ? Math.min(part * 2, mostPartBytes) : partBytes
  }
  const ended = await upload.finish()
  upload.onReport(ended)
  return ended
}
