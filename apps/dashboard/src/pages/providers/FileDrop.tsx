import { FileKey } from 'lucide-react'
import { clsx } from 'clsx'
import { useId, useState, type DragEvent } from 'react'
import { FileInput } from '../../ui/TextInput.tsx'
import { largestProviderFile } from '../../core/provider-file.ts'

/** Takes a file that is dropped or chosen, or a text that is pasted. The file stays in this page until the form is sent. */
export function FileDrop({
  label,
  accept,
  hint,
  onText,
}: {
  label: string
  accept: string
  hint: string
  onText: (name: string, text: string) => void
}) {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const take = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) onText(file.name, await file.slice(0, largestProviderFile + 1).text())
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    const text = event.dataTransfer.getData('text/plain')
    const file = event.dataTransfer.files[0]
    if (file === undefined && text !== '') onText('', text)
    else void take(file)
  }
  return (
    <div
      onDragOver={(event) => (event.preventDefault(), setOver(true))}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      onPaste={(event) => {
        const text = event.clipboardData.getData('text/plain')
        if (text !== '') onText('', text)
      }}
      className={clsx(
        'flex flex-col items-center gap-1 rounded-lg border border-dashed px-4 py-5 text-center',
        isOver ? 'border-accent bg-accent-soft' : 'border-strong',
      )}
    >
      <FileKey size={20} className="text-muted" aria-hidden />
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <FileInput id={id} accept={accept} aria-describedby={`${id}-hint`} onChange={(event) => void take(event.target.files?.[0])} />
      <p id={`${id}-hint`} className="text-sm text-muted">
        {hint}
      </p>
    </div>
  )
}
