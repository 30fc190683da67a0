import type { WindowClient, WorkerScope } from './worker-types.ts'

const answerMs = 1_000

/**
 * Where a click leads: the window that shows the address already, else any of this origin, else a new one. A window that is taken hears
 * of the click, and when nobody listens there it goes to the address.
 */
export async function openWindow(scope: WorkerScope, pages: readonly WindowClient[], url: string, message: unknown): Promise<void> {
  const target = new URL(url, scope.registration.scope).href
  const page = pages.find((page) => page.url === target) ?? pages.find((page) => page.focused) ?? pages[0]
  try {
    await page!.focus()
    if (!(await tell(page!, message)) && url && page!.url !== target) await page!.navigate(target)
  } catch {
    // There is no page, or one that this worker does not control and so cannot send anywhere.
    await scope.clients.openWindow(target)
  }
}

/** Whether a page says that somebody there takes the click. */
const tell = (page: WindowClient, message: unknown): Promise<boolean> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => resolve(data === true)
    setTimeout(() => resolve(false), answerMs)
    page.postMessage(message, [port2])
  })
