import { platformNames, platforms } from '@herald/contracts/platform'
import type { ValueProps } from './ValueEditor.tsx'

/** Chooses platforms by checkboxes. Other values in the list stay, so that nothing is lost. */
export function PlatformValue({ value, onChange, control }: ValueProps & { value: unknown[] }) {
  const set = (platform: string, isOn: boolean) => onChange(isOn ? [...value, platform] : value.filter((known) => known !== platform))
  return (
    <span className="flex flex-wrap items-center gap-3 py-1" role="group" aria-label="Platforms">
      {platforms.map((platform) => (
        <label key={platform} className="flex items-center gap-1.5">
          <input
            {...control}
            type="checkbox"
            data-part={`value-${platform}`}
            checked={value.includes(platform)}
            onChange={(event) => set(platform, event.target.checked)}
          />
          {platformNames[platform]}
        </label>
      ))}
    </span>
  )
}
