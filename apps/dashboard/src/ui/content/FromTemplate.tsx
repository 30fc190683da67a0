import { Tag } from '../Tag.tsx'

/** Whether a field is as the template has it; one that is not can be taken back. */
export function FromTemplate({ isSame, onTake }: { isSame: boolean; onTake: () => void }) {
  if (isSame) return <Tag>From the template</Tag>
  return (
    <button type="button" onClick={onTake} className="min-h-6 rounded text-sm text-accent hover:underline">
      Take the template’s
    </button>
  )
}
