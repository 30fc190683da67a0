import type { WindowClient, WorkerScope } from './worker-types.ts'

const answerMs = 1_000

/**
 * Opens the address of a click: in the window that shows it already, else in any window of this origin, else in a new one. An existing window gets
 * the click as an event, and goes to the address when nothing there handles it.
 */
export async function openWindow(scope: WorkerScope, pages: readonly WindowClient[], url: string, message: unknown): Promise<void> {
  const target = new URL(url, scope.registration.scope).href
  const page = pages.find((page) => page.url === target) ?? pages.find((page) => page.focused) ?? pages[0]
  try {
    await page!.focus()
    if (!(await tell(page!, message)) && url && page!.url !== target) await page!.navigate(target)
  } catch {
    // There is no page, or one that this worker does not control and so cannot navigate.
    await scope.clients.openWindow(target)
  }
}

/** Whether a page answers that it handles the click. */
const tell = (page: WindowClient, message: unknown): Promise<boolean> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => resolve(data === true)
    setTimeout(() => resolve(false), answerMs)
    page.postMessage(message, [port2])
  })
