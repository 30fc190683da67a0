import { inputClass } from '../TextInput.tsx'

/** How fields look that stand in a line with others: as wide as they need to be. */
export const controlClass = `${inputClass.replace('w-full ', '')} h-8`
