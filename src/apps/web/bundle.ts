type Chunk = {
  readonly type: 'chunk'
  readonly moduleIds: readonly string[]
  readonly imports: readonly string[]
  readonly viteMetadata?: {
    readonly importedCss: ReadonlySet<string>
    readonly importedAssets: ReadonlySet<string>
  }
}

/** Chunks name each other without their contents; the page says where they lie. */
export function importMap(page: string): (file: string) => string {
  const table = /<script type="importmap">([^<]*)</.exec(page)?.[1] ?? '{"imports":{}}'
  const names = (JSON.parse(table) as { imports: Record<string, string> }).imports
  return (file) => names[`./${file}`]?.slice(2) ?? file
}

/** Files that the modules of these patterns need, each with all it imports. */
export function filesOf(
  bundle: Readonly<Record<string, unknown>>,
  real: (file: string) => string,
  from: readonly RegExp[],
): Set<string> {
  const chunks = new Map(
    Object.entries(bundle).filter(
      (entry): entry is [string, Chunk] => (entry[1] as { type?: string }).type === 'chunk',
    ),
  )
  const queue = from.flatMap((pattern) => {
    const found = [...chunks].filter(([, { moduleIds }]) =>
      moduleIds.some((id) => pattern.test(id)),
    )
    if (!found.length) throw new Error(`${pattern} is in no chunk`)
    return found.map(([file]) => file)
  })
  const files = new Set<string>()
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file)) continue
    files.add(file)
    const chunk = chunks.get(file)
    queue.push(
      ...(chunk?.imports ?? []).map(real),
      ...(chunk?.viteMetadata?.importedCss ?? []),
      ...(chunk?.viteMetadata?.importedAssets ?? []),
    )
  }
  return files
}
