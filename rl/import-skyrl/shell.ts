// What a shell script says, without running it: its assignments, and the words of its commands.

export interface Script {
  words: string[];
  /** Variables that neither the script nor the environment sets: they stand as they were. */
  unknown: string[];
}

/** Words of all commands, with variables, defaults (`${A:-b}`, `: "${A:=b}"`) and whole-number arithmetic put in. */
export function readScript(text: string, environment: Readonly<Record<string, string | undefined>>): Script {
  const reader = new Reader(text.replace(/\\\r?\n/g, " "), environment);
  const words: string[] = [];
  let assigning = true; // nothing but assignments so far in this command
  for (let token = reader.next(); token !== undefined; token = reader.next()) {
    if (token.kind === "end") {
      assigning = true;
      continue;
    }
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(token.text) ?? [];
    if (assigning && name !== undefined) reader.variables.set(name, value!);
    else if (token.text !== "export") {
      words.push(token.text);
      assigning = false;
    }
  }
  return { words, unknown: [...reader.unknown] };
}

type Token = { kind: "end" } | { kind: "word"; text: string };

class Reader {
  readonly variables = new Map<string, string>();
  readonly unknown = new Set<string>();
  readonly #text: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #at = 0;

  constructor(text: string, environment: Readonly<Record<string, string | undefined>>) {
    this.#text = text;
    this.#environment = environment;
  }

  next(): Token | undefined {
    this.#match(/[ \t\r]+/y);
    if (this.#match(/#[^\n]*/y) !== undefined) return this.next();
    if (this.#at >= this.#text.length) return undefined;
    if (this.#match(/[\n;&|]+/y) !== undefined) return { kind: "end" };
    return { kind: "word", text: this.#until(/[\s;&|]/) };
  }

  /** Quoted and unquoted pieces up to what ends the word, which stays. */
  #until(end: RegExp): string {
    let word = "";
    while (this.#at < this.#text.length && !end.test(this.#text[this.#at]!)) word += this.#piece();
    return word;
  }

  #piece(): string {
    const plain = this.#match(/'[^']*'?/y);
    if (plain !== undefined) return plain.replaceAll("'", "");
    if (this.#match(/"/y) !== undefined) {
      let inside = "";
      while (this.#at < this.#text.length && this.#match(/"/y) === undefined)
        inside += this.#escape(/\\["\\$`]/y) ?? this.#letter();
      return inside;
    }
    return this.#escape(/\\[\s\S]/y) ?? this.#letter();
  }

  #escape(pattern: RegExp): string | undefined {
    return this.#match(pattern)?.slice(1);
  }

  #letter(): string {
    if (this.#text[this.#at] !== "$") return this.#text[this.#at++]!;
    if (this.#match(/\$\(\(/y) !== undefined) return String(this.#arithmetic());
    if (this.#match(/\$\{/y) !== undefined) return this.#braced();
    const name = this.#match(/\$[A-Za-z_]\w*/y)?.slice(1);
    return name === undefined ? this.#text[this.#at++]! : this.#value(name, `$${name}`);
  }

  /** After `${`. */
  #braced(): string {
    const name = this.#match(/\w+/y) ?? "";
    const kind = this.#match(/:?[-=]/y);
    const fallback = kind === undefined ? undefined : this.#until(/\}/);
    const rest = this.#until(/\}/); // forms that are not known here
    this.#at++;
    const known = this.#lookup(name) || fallback; // an empty value has the default too
    if (kind?.endsWith("=") && known !== undefined) this.variables.set(name, known);
    return known ?? this.#value(name, `\${${name}${rest}}`);
  }

  /** After `$((`: whole numbers, + - * / % and parentheses; what else there is counts as 0. */
  #arithmetic(): number {
    const factor = (): number => {
      if (this.#sign(/\(/y)) {
        const inner = sum();
        this.#sign(/\)/y);
        return inner;
      }
      if (this.#sign(/-/y)) return -factor();
      const name = this.#sign(/\$?\{?[A-Za-z_]\w*\}?/y)?.replace(/[${}]/g, "");
      return Number(name === undefined ? this.#sign(/\d+/y) : this.#lookup(name)) || 0;
    };
    const product = (): number => {
      let value = factor();
      for (let sign = this.#sign(/[*/%]/y); sign; sign = this.#sign(/[*/%]/y)) {
        const by = factor();
        value = sign === "*" ? value * by : sign === "/" ? Math.trunc(value / by) : value % by;
      }
      return value;
    };
    const sum = (): number => {
      let value = product();
      for (let sign = this.#sign(/[-+]/y); sign; sign = this.#sign(/[-+]/y))
        value += sign === "+" ? product() : -product();
      return value;
    };
    const value = sum();
    this.#match(/[^)]*\)\)/y);
    return value;
  }

  #sign(pattern: RegExp): string | undefined {
    this.#match(/\s+/y);
    return this.#match(pattern);
  }

  #lookup(name: string): string | undefined {
    return this.variables.get(name) ?? this.#environment[name];
  }

  #value(name: string, otherwise: string): string {
    const known = this.#lookup(name);
    if (known === undefined && name !== "") this.unknown.add(name);
    return known ?? otherwise;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}
