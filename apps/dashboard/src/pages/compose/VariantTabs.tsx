import type { VariantDraft } from '../../core/campaign-draft.ts'
import { Tabs } from '../../ui/Tabs.tsx'

/** Chooses which variant of an experiment is on screen. */
export function VariantTabs({
  variants,
  variant,
  onVariant,
}: {
  variants: readonly VariantDraft[]
  variant: number
  onVariant: (place: number) => void
}) {
  return (
    <Tabs
      label="Variants"
      value={String(variant)}
      onChange={(place) => onVariant(Number(place))}
      items={variants.map(({ name }, place) => ({ value: String(place), label: `Variant ${name}` }))}
    />
  )
}
