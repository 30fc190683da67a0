import { Tag } from '../Tag.tsx'

/** Marks a field that equals the template's. When it differs, a button sets it back to the template's. */
export function FromTemplate({ isSame, onTake }: { isSame: boolean; onTake: () => void }) {
  if (isSame) return <Tag>From the template</Tag>
  return (
    <button type="button" onClick={onTake} className="min-h-6 rounded text-sm text-accent hover:underline">
      Take the template’s
    </button>
  )
}
