/** Rough width in pixels of a 13 px text: Chinese characters are square, Latin ones about half as wide. */
export const textWidth = (text: string): number => [...text].reduce((sum, char) => sum + (char.charCodeAt(0) > 0x2e7f ? 13 : 7), 0)
