import { report } from './crowd.ts'
import type { Devices } from './devices.ts'
import { openPoster } from './poster.ts'
import type { Recording } from './record.ts'

/** What waits to be reported; a push beyond it is shown and not reported. */
const mostWaiting = 1_000
const atOnce = 4

/** Devices in somebody's hand report that they showed a push, as an app's extension or a worker does. What the person does with it, the person reports. */
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
    // Since it was accepted the record may have begun anew.
    if (seq > recording.last()) return
    const { msgId, deviceId } = recording.read(seq)
    const device = devices.byId(deviceId)
    if (msgId !== null && device?.hand) await report(poster, `${reportTo ?? device.hand.reportTo}/v1/e/d/${msgId}`, device)
  }

  recording.onShown((seq) => {
    if (waiting.length < mostWaiting) waiting.push(seq)
    // Not from here: opening a web push takes longer than the sender should wait for its answer.
    setImmediate(pump)
  })
  return { close: () => poster.close() }
}
