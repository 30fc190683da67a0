import { Copy } from 'lucide-react'
import { Button } from './Button.tsx'
import { copy } from './copy.ts'

/** Shows a secret with a button that copies it. Herald shows a secret only once. */
export function Secret({ text }: { text: string }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <code className="min-w-0 flex-1 rounded-md border border-line bg-sunken px-2.5 py-1.5 font-mono text-xs break-all select-all">
        {text}
      </code>
      <Button icon={<Copy size={14} aria-hidden />} onClick={() => void copy(text)}>
        Copy
      </Button>
    </div>
  )
}
