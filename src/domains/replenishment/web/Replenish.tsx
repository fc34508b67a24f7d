export function Replenish() {
  return null
}
