import { Copy } from 'lucide-react'
import { Button } from './Button.tsx'
import { copy } from './copy.ts'

/** Shows a piece of code with a button that copies it. */
export function Code({ text, language }: { text: string; language?: string | undefined }) {
  return (
    <div className="relative rounded-lg border border-line bg-sunken">
      <pre
        tabIndex={0}
        aria-label={language === undefined ? 'Code' : `Code: ${language}`}
        className="max-h-96 overflow-auto p-3 pr-20 font-mono text-xs leading-5"
      >
        <code>{text}</code>
      </pre>
      <Button small className="absolute top-2 right-2" icon={<Copy size={12} aria-hidden />} onClick={() => void copy(text)}>
        Copy
      </Button>
    </div>
  )
}

/** Shows a value as JSON. */
export function Json({ value }: { value: unknown }) {
  return <Code text={JSON.stringify(value, null, 2)} language="JSON" />
}
