/** What Ctrl K finds besides pages: a domain adds machines, orders, products. */
export type PaletteItem = { readonly key: string; readonly title: string; readonly hint: string; readonly to: string; readonly icon: string }
export type PaletteProvider = (query: string, signal: AbortSignal) => Promise<readonly PaletteItem[]>

const providers: PaletteProvider[] = []
export const paletteProviders = (): readonly PaletteProvider[] => providers
export const addPaletteProvider = (provider: PaletteProvider): void => void providers.push(provider)
