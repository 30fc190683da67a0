import { inputClass } from '../TextInput.tsx'

/** The classes of fields that stand in a line with others: as wide as their text. */
export const controlClass = `${inputClass.replace('w-full ', '')} h-8`
