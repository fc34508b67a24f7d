// Runs before the first paint so that a dark screen never flashes white and the language is right for readers.
document.documentElement.dataset.theme = localStorage.getItem('theme') === 'dark' ? 'dark' : 'light'
document.documentElement.lang = localStorage.getItem('lang') === 'en' ? 'en' : 'zh-CN'
