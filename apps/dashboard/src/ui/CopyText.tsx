import { Copy } from 'lucide-react'
import { copy } from './copy.ts'

/** Shows a text, such as an id, that a click copies. `shown` is a shorter text to show instead, `label` says what the text is. */
export function CopyText({ text, label, shown }: { text: string; label?: string | undefined; shown?: string | undefined }) {
  return (
    <button
      type="button"
      onClick={() => void copy(text, label === undefined ? 'Copied' : `${label} copied`)}
      aria-label={`${shown ?? text}: copy${label === undefined ? '' : ` ${label}`}`}
      title={`Copy ${label ?? text}`}
      className="group inline-flex min-h-6 max-w-full items-center gap-1 rounded px-1 -mx-1 font-mono text-xs hover:bg-hover"
    >
      <span className="truncate">{shown ?? text}</span>
      <Copy size={12} className="shrink-0 text-muted opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100" aria-hidden />
    </button>
  )
}
