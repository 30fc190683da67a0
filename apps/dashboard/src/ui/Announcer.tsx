import { CircleCheck, CircleX, Info, X } from 'lucide-react'
import { clsx } from 'clsx'
import { useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { topLayer, watchLayers } from './layers.ts'

type Kind = 'good' | 'bad' | 'info'
type Note = { id: number; text: string; kind: Kind }

let notes: readonly Note[] = []
let lastId = 0
const watchers = new Set<() => void>()
const mostNotes = 4
const shownMs = { good: 5_000, info: 5_000, bad: 12_000 }

function change(to: readonly Note[]): void {
  notes = to
  for (const watcher of watchers) watcher()
}

/** Shows a short text in a corner of the page and tells it to screen readers. An error stays for 12 s, any other text for 5 s. */
export function announce(text: string, kind: Kind = 'good'): void {
  lastId += 1
  const id = lastId
  change([...notes.filter((note) => note.text !== text), { id, text, kind }].slice(-mostNotes))
  setTimeout(() => dismiss(id), shownMs[kind])
}

const dismiss = (id: number): void => change(notes.filter((note) => note.id !== id))

const watch = (watcher: () => void): (() => void) => {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

const looks = {
  good: { Icon: CircleCheck, text: 'text-good' },
  bad: { Icon: CircleX, text: 'text-bad' },
  info: { Icon: Info, text: 'text-accent' },
}

/** Shows the announcements. While a dialog is open they are inside it, because a screen reader then reads nothing else. */
export function Announcer() {
  const shown = useSyncExternalStore(watch, () => notes)
  const layer = useSyncExternalStore(watchLayers, topLayer)
  return createPortal(
    <div
      aria-live="polite"
      role="log"
      className="pointer-events-none fixed right-4 bottom-4 z-50 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2"
    >
      {shown.map(({ id, text, kind }) => {
        const { Icon, text: colour } = looks[kind]
        return (
          <div
            key={id}
            className="pointer-events-auto flex items-start gap-2.5 rounded-lg border border-line bg-surface px-3.5 py-2.5 shadow-lg"
          >
            <Icon size={16} className={clsx('mt-0.5 shrink-0', colour)} aria-hidden />
            <p className="min-w-0 flex-1 break-words">{text}</p>
            <button
              type="button"
              onClick={() => dismiss(id)}
              aria-label="Dismiss"
              className="-my-0.5 -mr-1.5 grid size-6 place-items-center rounded text-muted hover:bg-hover"
            >
              <X size={14} aria-hidden />
            </button>
          </div>
        )
      })}
    </div>,
    layer ?? document.body,
  )
}
