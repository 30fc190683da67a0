import { createContext, useContext } from 'react'

const open: HTMLElement[] = []
const watchers = new Set<() => void>()

/** The dialog that lies on top, if one is open: what is not inside it cannot be reached, nor heard by a screen reader. */
export const topLayer = (): HTMLElement | undefined => open.at(-1)

/** Says that a dialog has opened; answers what says that it has closed. */
export function pushLayer(element: HTMLElement): () => void {
  open.push(element)
  for (const watcher of watchers) watcher()
  return () => {
    open.splice(open.indexOf(element), 1)
    for (const watcher of watchers) watcher()
  }
}

/** For useSyncExternalStore. */
export function watchLayers(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** The dialog that a component is in: menus and popovers have to open inside it. */
export const LayerContext = createContext<HTMLElement | null>(null)

/** Where a menu or a popover is to be put. */
export const useLayer = (): HTMLElement | null => useContext(LayerContext)
