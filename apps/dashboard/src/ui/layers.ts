import { createContext, useContext } from 'react'

const open: HTMLElement[] = []
const watchers = new Set<() => void>()

/** The dialog on top, if one is open. Nothing outside it can be reached, or heard with a screen reader. */
export const topLayer = (): HTMLElement | undefined => open.at(-1)

/** Notes that a dialog has opened, and gives the function that notes that it has closed. */
function pushLayer(element: HTMLElement): () => void {
  open.push(element)
  for (const watcher of watchers) watcher()
  return () => {
    open.splice(open.indexOf(element), 1)
    for (const watcher of watchers) watcher()
  }
}

const fields = ['input:not([type=hidden])', 'select', 'textarea', '[role=combobox]']
  .map((field) => `[data-body] ${field}:not(:disabled)`)
  .join()

/**
 * Opens a dialog over the page and gives the focus to the field that is marked `data-first`, to its first field, or to the first button of its footer; gives the function that closes it and gives the
 * focus back. React's autoFocus comes too early for a dialog, and the browser would take the button that closes it.
 */
export function openLayer(dialog: HTMLDialogElement): () => void {
  const opener = document.activeElement
  dialog.showModal()
  const first =
    dialog.querySelector<HTMLElement>('[data-first]') ??
    dialog.querySelector<HTMLElement>(fields) ??
    dialog.querySelector<HTMLElement>('footer button:not(:disabled)')
  first?.focus({ preventScroll: true })
  const pop = pushLayer(dialog)
  return () => {
    pop()
    dialog.close()
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
  }
}

/** For useSyncExternalStore. */
export function watchLayers(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** The dialog that a component is in. Menus and popovers must open inside it. */
export const LayerContext = createContext<HTMLElement | null>(null)

/** The element into which a menu or a popover is put. */
export const useLayer = (): HTMLElement | null => useContext(LayerContext)
