import type { WindowClient, WorkerScope } from './worker-types.ts'

const answerMs = 1_000

/**
 * Where a click leads: the window that shows the address already, else any of this origin, else a new one. A window that is taken hears
 * of the click, and when nobody listens there it goes to the address.
 */
export async function openWindow(scope: WorkerScope, url: string, message: unknown): Promise<void> {
  const target = new URL(url || '.', scope.registration.scope).href
  const pages = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = pages.find((page) => page.url === target) ?? pages.find((page) => page.focused) ?? pages[0]
  if (!page) return void (await scope.clients.openWindow(target))
  try {
    const focused = await page.focus()
    const isTaken = (await tell(focused, message)) || !url || focused.url === target
    if (!isTaken && !(await focused.navigate(target))) await scope.clients.openWindow(target)
  } catch {
    // A page that this worker does not control cannot be sent anywhere.
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
