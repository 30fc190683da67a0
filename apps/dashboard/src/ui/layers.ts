import { createContext, useContext } from 'react'

const open: HTMLElement[] = []
const watchers = new Set<() => void>()

/** Gives the dialog on top, if one is open. Everything outside of it is out of reach for the mouse, the keyboard and screen readers. */
export const topLayer = (): HTMLElement | undefined => open.at(-1)

/** Adds a dialog on top, and gives the function that removes it. */
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
 * Opens a dialog and focuses its field marked `data-first`, else its first field, else its footer's first button: React's autoFocus is too early for
 * a dialog. Gives the function that closes it and returns the focus.
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

/** Calls `watcher` at each change until the returned function is called, as useSyncExternalStore wants it. */
export function watchLayers(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** The dialog that a component is in, else the page's `main`. Menus and popovers open inside of it: a screen reader finds them in a landmark. */
export const LayerContext = createContext<HTMLElement | null>(null)

/** Gives the element that a menu or popover must open inside of; null until it is there. */
export const useLayer = (): HTMLElement | null => useContext(LayerContext)
