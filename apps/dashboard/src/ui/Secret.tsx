import { Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { copy } from './copy.ts'
import { Dialog } from './Dialog.tsx'

/** Shows a key or a secret with a button that copies it. Herald gives either only once, when it is made. */
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

/** A dialog that shows a secret once, after it was made. `children` says what the secret is for. */
export function NewSecret({
  title,
  secret,
  onClose,
  children,
}: {
  title: string
  secret: string
  onClose: () => void
  children: ReactNode
}) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      footer={
        <Button variant="primary" onClick={onClose}>
          I have saved it
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p>{children}</p>
        <Secret text={secret} />
      </div>
    </Dialog>
  )
}
