import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { LayerContext, openLayer } from './layers.ts'

/** The browser's own dialog, which keeps the focus inside and returns it when it closes. `children` are made anew each time the dialog opens. */
export function Dialog(props: {
  open: boolean
  onClose: () => void
  title: ReactNode
  children: ReactNode
  footer?: ReactNode
  wide?: boolean | undefined
}) {
  return props.open ? <OpenDialog {...props} /> : null
}

function OpenDialog({ onClose, title, children, footer, wide }: Parameters<typeof Dialog>[0]) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [layer, setLayer] = useState<HTMLElement | null>(null)

  useEffect(() => {
    const element = dialog.current
    if (element === null) return undefined
    setLayer(element)
    return openLayer(element)
  }, [])

  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      // A file's window that is closed without a file is a cancel too, of its field.
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onClose()
      }}
      // A browser closes a dialog at the second Escape in a row, whatever the page does.
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
      className={clsx(
        'm-auto max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] overflow-hidden rounded-xl border border-line bg-surface text-ink shadow-2xl open:flex open:flex-col',
        wide === true ? 'max-w-4xl' : 'max-w-lg',
      )}
    >
      <LayerContext value={layer}>
        <header className="flex items-center justify-between gap-4 border-b border-line px-5 py-3">
          <h2 id={id} className="text-lg font-semibold tracking-tight">
            {title}
          </h2>
          <button
            type="button"
            onClick={onClose}
            aria-label="Close"
            className="grid size-7 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
          >
            <X size={16} aria-hidden />
          </button>
        </header>
        <div data-body className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
          {children}
        </div>
        {footer !== undefined && <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer>}
      </LayerContext>
    </dialog>
  )
}
