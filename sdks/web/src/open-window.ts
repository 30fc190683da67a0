import type { WindowClient, WorkerScope } from './worker-types.ts'

/**
 * Opens the address of a click on a notification: in a window that shows it, else another of the site, else a new one. An existing one first gets the
 * click as an event, which its page may handle.
 */
export async function openWindow(scope: WorkerScope, pages: readonly WindowClient[], url: string, message: unknown): Promise<void> {
  const target = new URL(url, scope.registration.scope).href
  const page = pages.find((page) => page.url === target) ?? pages.find((page) => page.focused) ?? pages[0]
  try {
    await page!.focus()
    if (!(await tell(page!, message)) && url && page!.url !== target) await page!.navigate(target)
  } catch {
    // There is no window, or this worker does not control its page and so cannot navigate it.
    await scope.clients.openWindow(target)
  }
}

/** Sends an event to a page. Gives true when the page answers within the time that it is done with. */
export const tell = (page: WindowClient, message: unknown, withinMs = 1_000): Promise<boolean> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => resolve(data === true)
    setTimeout(() => resolve(false), withinMs)
    page.postMessage(message, [port2])
  })
