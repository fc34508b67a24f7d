/** `{topics}` of an event; anything else is nothing. */
export function topicsOf(data: unknown): string[] {
  const topics = typeof data === 'object' && data !== null && 'topics' in data ? data.topics : []
  return Array.isArray(topics) ? topics.filter((topic) => typeof topic === 'string') : []
}

/** One event of the stream; comments (pings) have no data. */
export function topicsOfBlock(block: string): string[] {
  const data = block
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .join('\n')
  try {
    return data === '' ? [] : topicsOf(JSON.parse(data))
  } catch {
    return []
  }
}
