import { report } from './crowd.ts'
import type { Devices } from './devices.ts'
import { openPoster } from './poster.ts'
import type { Recording } from './record.ts'

/** At most this many pushes wait to be reported as shown. A further push is not reported. */
const mostWaiting = 1_000
const atOnce = 4

/**
 * Reports the pushes to devices that an operator uses as shown, as an app's extension or service worker does. Opens, clicks and dismissals are
 * reported by the operator's page.
 */
export function openHands(devices: Devices, recording: Recording, reportTo?: string): { close: () => void } {
  const poster = openPoster(atOnce)
  const waiting: number[] = []
  let running = 0

  function pump(): void {
    const seq = running < atOnce ? waiting.shift() : undefined
    if (seq === undefined) return
    running++
    void reportShown(seq).finally(() => {
      running--
      pump()
    })
    pump()
  }

  async function reportShown(seq: number): Promise<void> {
    // The record may have been reset meanwhile. Then no push has this number.
    if (seq > recording.last()) return
    const { msgId, deviceId } = recording.read(seq)
    const device = devices.byId(deviceId)
    if (msgId !== null && device?.hand) await report(poster, `${reportTo ?? device.hand.reportTo}/v1/e/d/${msgId}`, device)
  }

  recording.onShown((seq) => {
    if (waiting.length < mostWaiting) waiting.push(seq)
    // Reports later, because decrypting a web push takes longer than the sender should wait for its answer.
    setImmediate(pump)
  })
  return { close: () => poster.close() }
}
