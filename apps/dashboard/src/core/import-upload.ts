/** The state of an import, and how many bytes of its file Herald has stored (`offset`): always whole rows. */
export type Standing = { offset: number; state: 'receiving' | 'finished' | 'cancelled' }

/** What `sendFile` needs. `put` sends the bytes from `from` to `to`; `isPassing` says whether an error may pass by itself. */
export type Upload<Report extends Standing> = {
  size: number
  put: (from: number, to: number) => Promise<Report>
  read: () => Promise<Report>
  finish: () => Promise<Report>
  isPassing: (error: unknown) => boolean
  wait: (ms: number) => Promise<void>
  onReport: (report: Report) => void
}

/**
 * How many bytes of the file one request sends. Herald stores only complete rows, and a valid row has at most 1 MiB. So each part contains the end of
 * a row, and sending moves on.
 */
export const partBytes = 2 * 1024 ** 2
const mostPartBytes = 16 * 1024 ** 2
/**
 * When requests fail one after another, the page tries again at most this many times, for about two minutes in all. That is long enough to replace a
 * gateway or to find a network again.
 */
export const mostTries = 16

/** Gives the wait before a try in milliseconds: 0.5 s at first, doubled each time, at most 10 s. */
const pauseBefore = (tries: number): number => Math.min(500 * 2 ** tries, 10_000)

/**
 * Sends the file of an import in parts, from the first byte that Herald lacks, and finishes the import. After a passing error it asks for the offset
 * and goes on there, so each row is stored once.
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
    // When no row ended in this part, Herald has stored nothing of it. So the next part begins at the same byte and is twice as large, up to 16 MiB.
    part = report.offset === from ? Math.min(part * 2, mostPartBytes) : partBytes
  }
  const ended = await upload.finish()
  upload.onReport(ended)
  return ended
}
