export const encode = (text) => btoa(text);

export const decode = (text) => atob(text);
